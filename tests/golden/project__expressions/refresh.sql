merge into `v__state` as t
using (
    with `delta_orders` as (

            select `o_orderkey`, `o_status`, `o_price`, sum(lv_weight) as lv_weight
        from (

                select
                `o_orderkey`, `o_status`, `o_price`,
                case when `_change_type` in ('insert', 'update_postimage') then 1 else -1 end as lv_weight
            from table_changes_by_path('/lake/orders', 5, 7)

        ) as changes
        group by `o_orderkey`, `o_status`, `o_price`
        having sum(lv_weight) <> 0

    ),
    `view_delta` as (

            select term.*, 1 as lv_ssn
        from (
          SELECT
            `orders`.`o_orderkey` AS `o_orderkey_2`,
            UPPER(`orders`.`o_status`) AS `status`,
            `orders`.`o_price` * 2 AS `twice`,
            `orders`.`lv_weight` AS `lv_weight`
          FROM `delta_orders` AS `orders`
        ) as term


    ),
    `view_change` as (
        SELECT
          `view_delta`.`o_orderkey_2` AS `o_orderkey_2`,
          `view_delta`.`status` AS `status`,
          `view_delta`.`twice` AS `twice`,
          SUM(`view_delta`.`lv_weight`) AS `lv_count`
        FROM `view_delta` AS `view_delta`
        GROUP BY
          1,
          2,
          3
        HAVING
          SUM(`view_delta`.`lv_weight`) <> 0
    )

    select * from `view_change`
) as d
on t.`o_orderkey_2` <=> d.`o_orderkey_2` and t.`status` <=> d.`status` and t.`twice` <=> d.`twice`
when matched and t.lv_count + d.lv_count = 0 then delete
when matched then update set
    `lv_count` = `t`.`lv_count` + COALESCE(`d`.`lv_count`, 0)
when not matched and d.lv_count <> 0 then insert (`o_orderkey_2`, `status`, `twice`, `lv_count`)
values (d.`o_orderkey_2`, d.`status`, d.`twice`, d.`lv_count`)
