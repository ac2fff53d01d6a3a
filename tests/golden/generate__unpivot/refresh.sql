merge into `v__state` as t
using (
    with `delta_orders` as (

            select `o_orderkey`, `o_custkey`, `o_status`, sum(lv_weight) as lv_weight
        from (

                select
                `o_orderkey`, `o_custkey`, `o_status`,
                case when `_change_type` in ('insert', 'update_postimage') then 1 else -1 end as lv_weight
            from table_changes_by_path('/lake/orders', 5, 7)

        ) as changes
        group by `o_orderkey`, `o_custkey`, `o_status`
        having sum(lv_weight) <> 0

    ),
    `view_delta` as (

            select term.*, 1 as lv_ssn
        from (
          SELECT
            `orders`.`o_status` AS `o_status_4`,
            `generated`.`c_lv_turned`.`name` AS `name_2`,
            `generated`.`c_lv_turned`.`value` AS `value_2`,
            `orders`.`lv_weight` AS `lv_weight`
          FROM `delta_orders` AS `orders`
          LATERAL VIEW
          EXPLODE(
            ARRAY(
              STRUCT('number' AS `name`, `orders`.`o_orderkey` AS `value`),
              STRUCT('o_custkey' AS `name`, `orders`.`o_custkey` AS `value`)
            )
          ) generated AS `c_lv_turned`
          WHERE
            NOT `generated`.`c_lv_turned`.`value` IS NULL
        ) as term


    ),
    `view_change` as (
        SELECT
          `view_delta`.`o_status_4` AS `o_status_4`,
          `view_delta`.`name_2` AS `name_2`,
          `view_delta`.`value_2` AS `value_2`,
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
on t.`o_status_4` <=> d.`o_status_4` and t.`name_2` <=> d.`name_2` and t.`value_2` <=> d.`value_2`
when matched and t.lv_count + d.lv_count = 0 then delete
when matched then update set
    `lv_count` = `t`.`lv_count` + COALESCE(`d`.`lv_count`, 0)
when not matched and d.lv_count <> 0 then insert (`o_status_4`, `name_2`, `value_2`, `lv_count`)
values (d.`o_status_4`, d.`name_2`, d.`value_2`, d.`lv_count`)
