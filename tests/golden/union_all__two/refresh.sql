merge into `v__state` as t
using (
    with `delta_orders` as (

            select `o_custkey`, sum(lv_weight) as lv_weight
        from (

                select
                `o_custkey`,
                case when `_change_type` in ('insert', 'update_postimage') then 1 else -1 end as lv_weight
            from table_changes_by_path('/lake/orders', 5, 7)

        ) as changes
        group by `o_custkey`
        having sum(lv_weight) <> 0

    ),
    `delta_customers` as (

            select `c_custkey`, sum(lv_weight) as lv_weight
        from (

                select
                `c_custkey`,
                case when `_change_type` in ('insert', 'update_postimage') then 1 else -1 end as lv_weight
            from table_changes_by_path('/lake/customers', 5, 7)

        ) as changes
        group by `c_custkey`
        having sum(lv_weight) <> 0

    ),
    `view_delta` as (

            select term.*, 1 as lv_ssn
        from (
          SELECT
            `orders`.`o_custkey` AS `k_2`,
            `orders`.`lv_weight` AS `lv_weight`
          FROM `delta_orders` AS `orders`
        ) as term

        union all

            select term.*, 2 as lv_ssn
        from (
          SELECT
            `customers`.`c_custkey` AS `k_2`,
            `customers`.`lv_weight` AS `lv_weight`
          FROM `delta_customers` AS `customers`
        ) as term


    ),
    `view_change` as (
        SELECT
          `view_delta`.`k_2` AS `k_2`,
          SUM(`view_delta`.`lv_weight`) AS `lv_count`
        FROM `view_delta` AS `view_delta`
        GROUP BY
          1
        HAVING
          SUM(`view_delta`.`lv_weight`) <> 0
    )

    select * from `view_change`
) as d
on t.`k_2` <=> d.`k_2`
when matched and t.lv_count + d.lv_count = 0 then delete
when matched then update set
    `lv_count` = `t`.`lv_count` + COALESCE(`d`.`lv_count`, 0)
when not matched and d.lv_count <> 0 then insert (`k_2`, `lv_count`)
values (d.`k_2`, d.`lv_count`)
