merge into `v__state` as t
using (
    with `delta_customers` as (

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
    `delta_orders` as (

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
    `view_delta` as (

            select term.*, 1 as lv_ssn
        from (
          SELECT
            `customers`.`c_custkey` AS `c_custkey_4`,
            1 AS `lv_argument_1`,
            0 AS `lv_argument_2`,
            `customers`.`lv_weight` AS `lv_weight`
          FROM `delta_customers` AS `customers`
        ) as term

        union all

            select term.*, 2 as lv_ssn
        from (
          SELECT
            `orders`.`o_custkey` AS `c_custkey_4`,
            0 AS `lv_argument_1`,
            1 AS `lv_argument_2`,
            `orders`.`lv_weight` AS `lv_weight`
          FROM `delta_orders` AS `orders`
        ) as term


    ),
    `view_change` as (
        SELECT
          `view_delta`.`c_custkey_4` AS `c_custkey_4`,
          SUM(`view_delta`.`lv_weight`) AS `lv_count`,
          SUM(`view_delta`.`lv_argument_1` * `view_delta`.`lv_weight`) AS `lv_sum_1`,
          SUM(
            CASE
              WHEN `view_delta`.`lv_argument_1` IS NULL
              THEN 0
              ELSE `view_delta`.`lv_weight`
            END
          ) AS `lv_n_2`,
          SUM(`view_delta`.`lv_argument_2` * `view_delta`.`lv_weight`) AS `lv_sum_3`,
          SUM(
            CASE
              WHEN `view_delta`.`lv_argument_2` IS NULL
              THEN 0
              ELSE `view_delta`.`lv_weight`
            END
          ) AS `lv_n_4`
        FROM `view_delta` AS `view_delta`
        GROUP BY
          1
        HAVING
          SUM(`view_delta`.`lv_weight`) <> 0
          OR SUM(`view_delta`.`lv_argument_1` * `view_delta`.`lv_weight`) <> 0
          OR SUM(
            CASE
              WHEN `view_delta`.`lv_argument_1` IS NULL
              THEN 0
              ELSE `view_delta`.`lv_weight`
            END
          ) <> 0
          OR SUM(`view_delta`.`lv_argument_2` * `view_delta`.`lv_weight`) <> 0
          OR SUM(
            CASE
              WHEN `view_delta`.`lv_argument_2` IS NULL
              THEN 0
              ELSE `view_delta`.`lv_weight`
            END
          ) <> 0
    )

    select * from `view_change`
) as d
on t.`c_custkey_4` <=> d.`c_custkey_4`
when matched and t.lv_count + d.lv_count = 0 then delete
when matched then update set
    `lv_count` = `t`.`lv_count` + COALESCE(`d`.`lv_count`, 0),
    `lv_sum_1` = COALESCE(`t`.`lv_sum_1` + `d`.`lv_sum_1`, `t`.`lv_sum_1`, `d`.`lv_sum_1`),
    `lv_n_2` = COALESCE(`t`.`lv_n_2` + `d`.`lv_n_2`, `t`.`lv_n_2`, `d`.`lv_n_2`),
    `lv_sum_3` = COALESCE(`t`.`lv_sum_3` + `d`.`lv_sum_3`, `t`.`lv_sum_3`, `d`.`lv_sum_3`),
    `lv_n_4` = COALESCE(`t`.`lv_n_4` + `d`.`lv_n_4`, `t`.`lv_n_4`, `d`.`lv_n_4`)
when not matched and d.lv_count <> 0 then insert (`c_custkey_4`, `lv_count`, `lv_sum_1`, `lv_n_2`, `lv_sum_3`, `lv_n_4`)
values (d.`c_custkey_4`, d.`lv_count`, d.`lv_sum_1`, d.`lv_n_2`, d.`lv_sum_3`, d.`lv_n_4`)
