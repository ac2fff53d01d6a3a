cache table `lv_staged_delta_customers` as
with `delta_customers` as (

        select `c_custkey`, `c_name`, sum(lv_weight) as lv_weight
    from (

            select
            `c_custkey`, `c_name`,
            case when `_change_type` in ('insert', 'update_postimage') then 1 else -1 end as lv_weight
        from table_changes_by_path('/lake/customers', 5, 7)

    ) as changes
    group by `c_custkey`, `c_name`
    having sum(lv_weight) <> 0

)

select * from `delta_customers`;

merge into `v__state` as t
using (
    with `delta_orders` as (

            select `o_orderkey`, `o_custkey`, sum(lv_weight) as lv_weight
        from (

                select
                `o_orderkey`, `o_custkey`,
                case when `_change_type` in ('insert', 'update_postimage') then 1 else -1 end as lv_weight
            from table_changes_by_path('/lake/orders', 5, 7)

        ) as changes
        group by `o_orderkey`, `o_custkey`
        having sum(lv_weight) <> 0

    ),
    `new_customers` as (

            select `c_custkey`, `c_name`
        from `customers` version as of 7

    ),
    `delta_customers` as (
        select * from `lv_staged_delta_customers`
    ),
    `old_customers` as (

            select `c_custkey`, `c_name`, 1 as lv_weight from new_customers
        union all
        select `c_custkey`, `c_name`, -lv_weight as lv_weight from delta_customers

    ),
    `new_orders` as (

            select `o_orderkey`, `o_custkey`
        from `orders` version as of 7

    ),
    `view_delta` as (

            select term.*, 1 as lv_ssn
        from (
          SELECT
            `orders`.`o_orderkey` AS `o_orderkey_2`,
            `customers`.`c_name` AS `c_name_2`,
            `orders`.`lv_weight` * `customers`.`lv_weight` AS `lv_weight`
          FROM `delta_orders` AS `orders`, `old_customers` AS `customers`
          WHERE
            `orders`.`o_custkey` = `customers`.`c_custkey`
        ) as term

        union all

            select term.*, 2 as lv_ssn
        from (
          SELECT
            `orders`.`o_orderkey` AS `o_orderkey_2`,
            `customers`.`c_name` AS `c_name_2`,
            `customers`.`lv_weight` AS `lv_weight`
          FROM `delta_customers` AS `customers`, `new_orders` AS `orders`
          WHERE
            `orders`.`o_custkey` = `customers`.`c_custkey`
        ) as term


    ),
    `view_change` as (
        SELECT
          `view_delta`.`o_orderkey_2` AS `o_orderkey_2`,
          `view_delta`.`c_name_2` AS `c_name_2`,
          SUM(`view_delta`.`lv_weight`) AS `lv_count`
        FROM `view_delta` AS `view_delta`
        GROUP BY
          1,
          2
        HAVING
          SUM(`view_delta`.`lv_weight`) <> 0
    )

    select * from `view_change`
) as d
on t.`o_orderkey_2` <=> d.`o_orderkey_2` and t.`c_name_2` <=> d.`c_name_2`
when matched and t.lv_count + d.lv_count = 0 then delete
when matched then update set
    `lv_count` = `t`.`lv_count` + COALESCE(`d`.`lv_count`, 0)
when not matched and d.lv_count <> 0 then insert (`o_orderkey_2`, `c_name_2`, `lv_count`)
values (d.`o_orderkey_2`, d.`c_name_2`, d.`lv_count`)
