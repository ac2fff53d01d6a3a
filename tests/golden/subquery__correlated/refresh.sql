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

cache table `lv_staged_right_delta` as
with `new_orders` as (

        select `o_custkey`
    from `orders` version as of 7

),
`delta_orders` as (
    select * from `lv_staged_delta_orders`
),
`affected` as (
    SELECT DISTINCT
      `orders`.`o_custkey` AS `correlated`
    FROM `delta_orders` AS `orders`
),
`old_orders` as (

        select `o_custkey`, 1 as lv_weight from new_orders
    union all
    select `o_custkey`, -lv_weight as lv_weight from delta_orders

),
`groups_new` as (
    SELECT
      `orders`.`o_custkey` AS `correlated`,
      COUNT(*) AS `count_1`
    FROM `new_orders` AS `orders`
    WHERE
      EXISTS(
        SELECT
          1
        FROM `affected` AS `lv_affected`
        WHERE
          `lv_affected`.`correlated` IS NOT DISTINCT FROM `orders`.`o_custkey`
      )
    GROUP BY
      1
),
`input_old` as (

        select term.*, 1 as lv_ssn
    from (
      SELECT
        `orders`.`o_custkey` AS `o_custkey`,
        `orders`.`lv_weight` AS `lv_weight`
      FROM `old_orders` AS `orders`
      WHERE
        EXISTS(
          SELECT
            1
          FROM `affected` AS `lv_affected`
          WHERE
            `lv_affected`.`correlated` IS NOT DISTINCT FROM `orders`.`o_custkey`
        )
    ) as term


),
`input_old_net` as (
    SELECT
      `input_old`.`o_custkey` AS `o_custkey`,
      CAST(SUM(`input_old`.`lv_weight`) AS BIGINT) AS `lv_weight`
    FROM `input_old` AS `input_old`
    GROUP BY
      1
    HAVING
      SUM(`input_old`.`lv_weight`) > 0
),
`groups_old` as (
    SELECT
      `input_old`.`o_custkey` AS `correlated`,
      COUNT(*) AS `count_1`
    FROM `input_old_net` AS `input_old`
    LATERAL VIEW
    EXPLODE(SEQUENCE(1, `input_old`.`lv_weight`)) lv_copies AS `lv_copy`
    GROUP BY
      1
),
`right_delta` as (

        select term.*, 1 as lv_ssn
    from (
      SELECT
        `groups_new`.`correlated` AS `correlated`,
        `groups_new`.`count_1` AS `count_1`,
        1 AS `lv_weight`
      FROM `groups_new` AS `groups_new`
    ) as term

    union all

        select term.*, 2 as lv_ssn
    from (
      SELECT
        `groups_old`.`correlated` AS `correlated`,
        `groups_old`.`count_1` AS `count_1`,
        -1 AS `lv_weight`
      FROM `groups_old` AS `groups_old`
    ) as term


)

select * from `right_delta`;

cache table `lv_staged_touched_net` as
with `delta_customers` as (
    select * from `lv_staged_delta_customers`
),
`right_delta` as (
    select * from `lv_staged_right_delta`
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
          FROM `right_delta` AS `right_delta`
          WHERE
            `right_delta`.`correlated` = `customers`.`c_custkey`
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
    `groups` as (
        SELECT
          `orders`.`o_custkey` AS `correlated`,
          COUNT(*) AS `count_1`
        FROM `new_orders` AS `orders`
        GROUP BY
          1
    ),
    `wanted_keys` as (
        SELECT DISTINCT
          `customers`.`c_custkey` AS `lv_key_0`
        FROM `delta_customers` AS `customers`
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
          `groups`.`correlated` AS `correlated`,
          `groups`.`count_1` AS `count_1`
        FROM `groups` AS `groups`
        WHERE
          EXISTS(
            SELECT
              1
            FROM `wanted_keys` AS `lv_wanted_keys`
            WHERE
              `lv_wanted_keys`.`lv_key_0` IS NOT DISTINCT FROM `groups`.`correlated`
          )
    ),
    `outer_join` as (
        SELECT
          `left_rows`.`c_custkey` AS `c_custkey`,
          `left_rows`.`c_name` AS `c_name`,
          `right_rows`.`correlated` AS `correlated`,
          `right_rows`.`count_1` AS `count_1`,
          `left_rows`.`lv_weight` AS `lv_weight`
        FROM `left_rows` AS `left_rows`
        LEFT JOIN `right_rows` AS `right_rows`
          ON `right_rows`.`correlated` = `left_rows`.`c_custkey`
    ),
    `right_delta` as (
        select * from `lv_staged_right_delta`
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
    `wanted_keys_2` as (
        SELECT DISTINCT
          `touched_net`.`c_custkey` AS `lv_key_0`
        FROM `touched_net` AS `touched_net`
    ),
    `matches` as (
        SELECT
          `touched_net`.`c_custkey` AS `c_custkey`,
          `touched_net`.`c_name` AS `c_name`,
          `touched_net`.`lv_weight` AS `lv_weight`,
          1 AS `lv_now`,
          0 AS `lv_change`
        FROM `touched_net` AS `touched_net`, `groups` AS `groups`
        WHERE
          EXISTS(
            SELECT
              1
            FROM `wanted_keys_2` AS `lv_wanted_keys_2`
            WHERE
              `lv_wanted_keys_2`.`lv_key_0` IS NOT DISTINCT FROM `groups`.`correlated`
          )
          AND `groups`.`correlated` = `touched_net`.`c_custkey`
        UNION ALL
        SELECT
          `touched_net`.`c_custkey` AS `c_custkey`,
          `touched_net`.`c_name` AS `c_name`,
          `touched_net`.`lv_weight` AS `lv_weight`,
          0 AS `lv_now`,
          `right_delta`.`lv_weight` AS `lv_change`
        FROM `touched_net` AS `touched_net`, `right_delta` AS `right_delta`
        WHERE
          `right_delta`.`correlated` = `touched_net`.`c_custkey`
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
            `outer_join`.`c_name` AS `c_name_2`,
            COALESCE(`outer_join`.`count_1`, 0) AS `orders`,
            `outer_join`.`lv_weight` AS `lv_weight`
          FROM `outer_join` AS `outer_join`
        ) as term

        union all

            select term.*, 2 as lv_ssn
        from (
          SELECT
            `customers`.`c_name` AS `c_name_2`,
            COALESCE(`right_delta`.`count_1`, 0) AS `orders`,
            `right_delta`.`lv_weight` * `customers`.`lv_weight` AS `lv_weight`
          FROM `right_delta` AS `right_delta`, `old_customers` AS `customers`
          WHERE
            `right_delta`.`correlated` = `customers`.`c_custkey`
        ) as term

        union all

            select term.*, 3 as lv_ssn
        from (
          SELECT
            `match_counts`.`c_name` AS `c_name_2`,
            COALESCE(NULL, 0) AS `orders`,
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


    ),
    `view_change` as (
        SELECT
          `view_delta`.`c_name_2` AS `c_name_2`,
          `view_delta`.`orders` AS `orders`,
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
on t.`c_name_2` <=> d.`c_name_2` and t.`orders` <=> d.`orders`
when matched and t.lv_count + d.lv_count = 0 then delete
when matched then update set
    `lv_count` = `t`.`lv_count` + COALESCE(`d`.`lv_count`, 0)
when not matched and d.lv_count <> 0 then insert (`c_name_2`, `orders`, `lv_count`)
values (d.`c_name_2`, d.`orders`, d.`lv_count`)
