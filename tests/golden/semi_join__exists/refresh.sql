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

cache table `lv_staged_delta_orders` as
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

)

select * from `delta_orders`;

cache table `lv_staged_touched_net` as
with `delta_customers` as (
    select * from `lv_staged_delta_customers`
),
`delta_orders` as (
    select * from `lv_staged_delta_orders`
),
`new_customers` as (

        select `c_custkey`, `c_name`
    from `customers` version as of 7

),
`old_customers` as (

        select `c_custkey`, `c_name`, 1 as lv_weight from new_customers
    union all
    select `c_custkey`, `c_name`, -lv_weight as lv_weight from delta_customers

),
`touched` as (

        select term.*, 1 as lv_ssn
    from (
      SELECT
        `customers`.`c_custkey` AS `c_custkey`,
        `customers`.`c_name` AS `c_name`,
        `customers`.`lv_weight` AS `lv_weight`
      FROM `old_customers` AS `customers`
      WHERE
        EXISTS(
          SELECT
            1 AS `lv_found`
          FROM `delta_orders` AS `orders`
          WHERE
            `orders`.`o_custkey` = `customers`.`c_custkey`
        )
    ) as term


),
`touched_net` as (
    SELECT
      `touched`.`c_custkey` AS `c_custkey`,
      `touched`.`c_name` AS `c_name`,
      SUM(`touched`.`lv_weight`) AS `lv_weight`
    FROM `touched` AS `touched`
    GROUP BY
      1,
      2
    HAVING
      SUM(`touched`.`lv_weight`) <> 0
)

select * from `touched_net`;

merge into `v__state` as t
using (
    with `delta_customers` as (
        select * from `lv_staged_delta_customers`
    ),
    `new_orders` as (

            select `o_custkey`
        from `orders` version as of 7

    ),
    `delta_orders` as (
        select * from `lv_staged_delta_orders`
    ),
    `touched_net` as (
        select * from `lv_staged_touched_net`
    ),
    `matches` as (
        SELECT
          `touched_net`.`c_custkey` AS `c_custkey`,
          `touched_net`.`c_name` AS `c_name`,
          `touched_net`.`lv_weight` AS `lv_weight`,
          1 AS `lv_now`,
          0 AS `lv_change`
        FROM `touched_net` AS `touched_net`, `new_orders` AS `orders`
        WHERE
          `orders`.`o_custkey` = `touched_net`.`c_custkey`
        UNION ALL
        SELECT
          `touched_net`.`c_custkey` AS `c_custkey`,
          `touched_net`.`c_name` AS `c_name`,
          `touched_net`.`lv_weight` AS `lv_weight`,
          0 AS `lv_now`,
          `orders`.`lv_weight` AS `lv_change`
        FROM `touched_net` AS `touched_net`, `delta_orders` AS `orders`
        WHERE
          `orders`.`o_custkey` = `touched_net`.`c_custkey`
    ),
    `match_counts` as (
        SELECT
          `matches`.`c_custkey` AS `c_custkey`,
          `matches`.`c_name` AS `c_name`,
          `matches`.`lv_weight` AS `lv_weight`,
          SUM(`matches`.`lv_now`) AS `lv_now`,
          SUM(`matches`.`lv_change`) AS `lv_change`
        FROM `matches` AS `matches`
        GROUP BY
          1,
          2,
          3
    ),
    `view_delta` as (

            select term.*, 1 as lv_ssn
        from (
          SELECT
            `customers`.`c_name` AS `c_name_2`,
            `customers`.`lv_weight` AS `lv_weight`
          FROM `delta_customers` AS `customers`
          WHERE
            EXISTS(
              SELECT
                1 AS `lv_found`
              FROM `new_orders` AS `orders`
              WHERE
                `orders`.`o_custkey` = `customers`.`c_custkey`
            )
        ) as term

        union all

            select term.*, 2 as lv_ssn
        from (
          SELECT
            `match_counts`.`c_name` AS `c_name_2`,
            `match_counts`.`lv_weight` * CASE
              WHEN `match_counts`.`lv_now` > 0
              AND NOT (
                `match_counts`.`lv_now` - `match_counts`.`lv_change` > 0
              )
              THEN 1
              ELSE -1
            END AS `lv_weight`
          FROM `match_counts` AS `match_counts`
          WHERE
            (
              `match_counts`.`lv_now` > 0
            ) <> (
              `match_counts`.`lv_now` - `match_counts`.`lv_change` > 0
            )
        ) as term


    ),
    `view_change` as (
        SELECT
          `view_delta`.`c_name_2` AS `c_name_2`,
          SUM(`view_delta`.`lv_weight`) AS `lv_count`
        FROM `view_delta` AS `view_delta`
        GROUP BY
          1
        HAVING
          SUM(`view_delta`.`lv_weight`) <> 0
    )

    select * from `view_change`
) as d
on t.`c_name_2` <=> d.`c_name_2`
when matched and t.lv_count + d.lv_count = 0 then delete
when matched then update set
    `lv_count` = `t`.`lv_count` + COALESCE(`d`.`lv_count`, 0)
when not matched and d.lv_count <> 0 then insert (`c_name_2`, `lv_count`)
values (d.`c_name_2`, d.`lv_count`)
