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

cache table `lv_staged_touched_net_2` as
with `delta_customers` as (
    select * from `lv_staged_delta_customers`
),
`new_orders` as (

        select `o_orderkey`, `o_custkey`
    from `orders` version as of 7

),
`delta_orders` as (
    select * from `lv_staged_delta_orders`
),
`old_orders` as (

        select `o_orderkey`, `o_custkey`, 1 as lv_weight from new_orders
    union all
    select `o_orderkey`, `o_custkey`, -lv_weight as lv_weight from delta_orders

),
`touched_2` as (

        select term.*, 1 as lv_ssn
    from (
      SELECT
        `orders`.`o_orderkey` AS `o_orderkey`,
        `orders`.`o_custkey` AS `o_custkey`,
        `orders`.`lv_weight` AS `lv_weight`
      FROM `old_orders` AS `orders`
      WHERE
        EXISTS(
          SELECT
            1 AS `lv_found`
          FROM `delta_customers` AS `customers`
          WHERE
            `orders`.`o_custkey` = `customers`.`c_custkey`
        )
    ) as term


),
`touched_net_2` as (
    SELECT
      `touched`.`o_orderkey` AS `o_orderkey`,
      `touched`.`o_custkey` AS `o_custkey`,
      SUM(`touched`.`lv_weight`) AS `lv_weight`
    FROM `touched_2` AS `touched`
    GROUP BY
      1,
      2
    HAVING
      SUM(`touched`.`lv_weight`) <> 0
)

select * from `touched_net_2`;

merge into `v__state` as t
using (
    with `delta_customers` as (
        select * from `lv_staged_delta_customers`
    ),
    `new_orders` as (

            select `o_orderkey`, `o_custkey`
        from `orders` version as of 7

    ),
    `left_rows` as (
        SELECT
          `customers`.`c_custkey` AS `c_custkey`,
          `customers`.`c_name` AS `c_name`,
          `customers`.`lv_weight` AS `lv_weight`
        FROM `delta_customers` AS `customers`
    ),
    `right_rows` as (
        SELECT
          `orders`.`o_orderkey` AS `o_orderkey`,
          `orders`.`o_custkey` AS `o_custkey`
        FROM `new_orders` AS `orders`
    ),
    `outer_join` as (
        SELECT
          `left_rows`.`c_custkey` AS `c_custkey`,
          `left_rows`.`c_name` AS `c_name`,
          `right_rows`.`o_orderkey` AS `o_orderkey`,
          `right_rows`.`o_custkey` AS `o_custkey`,
          `left_rows`.`lv_weight` AS `lv_weight`
        FROM `left_rows` AS `left_rows`
        LEFT JOIN `right_rows` AS `right_rows`
          ON `right_rows`.`o_custkey` = `left_rows`.`c_custkey`
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
    `touched_net_2` as (
        select * from `lv_staged_touched_net_2`
    ),
    `matches_2` as (
        SELECT
          `touched_net_2`.`o_orderkey` AS `o_orderkey`,
          `touched_net_2`.`o_custkey` AS `o_custkey`,
          `touched_net_2`.`lv_weight` AS `lv_weight`,
          1 AS `lv_now`,
          0 AS `lv_change`
        FROM `touched_net_2` AS `touched_net_2`, `new_customers` AS `customers`
        WHERE
          `touched_net_2`.`o_custkey` = `customers`.`c_custkey`
        UNION ALL
        SELECT
          `touched_net_2`.`o_orderkey` AS `o_orderkey`,
          `touched_net_2`.`o_custkey` AS `o_custkey`,
          `touched_net_2`.`lv_weight` AS `lv_weight`,
          0 AS `lv_now`,
          `customers`.`lv_weight` AS `lv_change`
        FROM `touched_net_2` AS `touched_net_2`, `delta_customers` AS `customers`
        WHERE
          `touched_net_2`.`o_custkey` = `customers`.`c_custkey`
    ),
    `match_counts_2` as (
        SELECT
          `matches_2`.`o_orderkey` AS `o_orderkey`,
          `matches_2`.`o_custkey` AS `o_custkey`,
          `matches_2`.`lv_weight` AS `lv_weight`,
          SUM(`matches_2`.`lv_now`) AS `lv_now`,
          SUM(`matches_2`.`lv_change`) AS `lv_change`
        FROM `matches_2` AS `matches_2`
        GROUP BY
          1,
          2,
          3
    ),
    `view_delta` as (

            select term.*, 1 as lv_ssn
        from (
          SELECT
            `outer_join`.`c_name` AS `c_name_2`,
            `outer_join`.`o_orderkey` AS `o_orderkey_2`,
            `outer_join`.`lv_weight` AS `lv_weight`
          FROM `outer_join` AS `outer_join`
        ) as term

        union all

            select term.*, 2 as lv_ssn
        from (
          SELECT
            `customers`.`c_name` AS `c_name_2`,
            `orders`.`o_orderkey` AS `o_orderkey_2`,
            `orders`.`lv_weight` * `customers`.`lv_weight` AS `lv_weight`
          FROM `delta_orders` AS `orders`, `old_customers` AS `customers`
          WHERE
            `orders`.`o_custkey` = `customers`.`c_custkey`
        ) as term

        union all

            select term.*, 3 as lv_ssn
        from (
          SELECT
            `match_counts`.`c_name` AS `c_name_2`,
            NULL AS `o_orderkey_2`,
            -(
              `match_counts`.`lv_weight` * CASE
                WHEN `match_counts`.`lv_now` > 0
                AND NOT (
                  `match_counts`.`lv_now` - `match_counts`.`lv_change` > 0
                )
                THEN 1
                ELSE -1
              END
            ) AS `lv_weight`
          FROM `match_counts` AS `match_counts`
          WHERE
            (
              `match_counts`.`lv_now` > 0
            ) <> (
              `match_counts`.`lv_now` - `match_counts`.`lv_change` > 0
            )
        ) as term

        union all

            select term.*, 4 as lv_ssn
        from (
          SELECT
            NULL AS `c_name_2`,
            `orders`.`o_orderkey` AS `o_orderkey_2`,
            `orders`.`lv_weight` AS `lv_weight`
          FROM `delta_orders` AS `orders`
          WHERE
            NOT EXISTS(
              SELECT
                1 AS `lv_found`
              FROM `new_customers` AS `customers`
              WHERE
                `orders`.`o_custkey` = `customers`.`c_custkey`
            )
        ) as term

        union all

            select term.*, 5 as lv_ssn
        from (
          SELECT
            NULL AS `c_name_2`,
            `match_counts_2`.`o_orderkey` AS `o_orderkey_2`,
            -(
              `match_counts_2`.`lv_weight` * CASE
                WHEN `match_counts_2`.`lv_now` > 0
                AND NOT (
                  `match_counts_2`.`lv_now` - `match_counts_2`.`lv_change` > 0
                )
                THEN 1
                ELSE -1
              END
            ) AS `lv_weight`
          FROM `match_counts_2` AS `match_counts_2`
          WHERE
            (
              `match_counts_2`.`lv_now` > 0
            ) <> (
              `match_counts_2`.`lv_now` - `match_counts_2`.`lv_change` > 0
            )
        ) as term


    ),
    `view_change` as (
        SELECT
          `view_delta`.`c_name_2` AS `c_name_2`,
          `view_delta`.`o_orderkey_2` AS `o_orderkey_2`,
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
on t.`c_name_2` <=> d.`c_name_2` and t.`o_orderkey_2` <=> d.`o_orderkey_2`
when matched and t.lv_count + d.lv_count = 0 then delete
when matched then update set
    `lv_count` = `t`.`lv_count` + COALESCE(`d`.`lv_count`, 0)
when not matched and d.lv_count <> 0 then insert (`c_name_2`, `o_orderkey_2`, `lv_count`)
values (d.`c_name_2`, d.`o_orderkey_2`, d.`lv_count`)
