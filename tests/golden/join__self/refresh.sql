cache table `lv_staged_delta_orders` as
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

)

select * from `delta_orders`;

merge into `v__state` as t
using (
    with `delta_orders` as (
        select * from `lv_staged_delta_orders`
    ),
    `new_orders` as (

            select `o_orderkey`, `o_custkey`
        from `orders` version as of 7

    ),
    `old_orders` as (

            select `o_orderkey`, `o_custkey`, 1 as lv_weight from new_orders
        union all
        select `o_orderkey`, `o_custkey`, -lv_weight as lv_weight from delta_orders

    ),
    `view_delta` as (

            select term.*, 1 as lv_ssn
        from (
          SELECT
            `a`.`o_orderkey` AS `o_orderkey_2`,
            `b`.`o_orderkey` AS `other`,
            `a`.`lv_weight` * `b`.`lv_weight` AS `lv_weight`
          FROM `delta_orders` AS `a`, `old_orders` AS `b`
          WHERE
            `a`.`o_custkey` = `b`.`o_custkey`
        ) as term

        union all

            select term.*, 2 as lv_ssn
        from (
          SELECT
            `a`.`o_orderkey` AS `o_orderkey_2`,
            `b`.`o_orderkey` AS `other`,
            `b`.`lv_weight` AS `lv_weight`
          FROM `delta_orders` AS `b`, `new_orders` AS `a`
          WHERE
            `a`.`o_custkey` = `b`.`o_custkey`
        ) as term


    ),
    `view_change` as (
        SELECT
          `view_delta`.`o_orderkey_2` AS `o_orderkey_2`,
          `view_delta`.`other` AS `other`,
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
on t.`o_orderkey_2` <=> d.`o_orderkey_2` and t.`other` <=> d.`other`
when matched and t.lv_count + d.lv_count = 0 then delete
when matched then update set
    `lv_count` = `t`.`lv_count` + COALESCE(`d`.`lv_count`, 0)
when not matched and d.lv_count <> 0 then insert (`o_orderkey_2`, `other`, `lv_count`)
values (d.`o_orderkey_2`, d.`other`, d.`lv_count`)
