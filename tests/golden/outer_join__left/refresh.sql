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

cache table `lv_staged_touched_keys` as
with `delta_customers` as (
    select * from `lv_staged_delta_customers`
),
`delta_orders` as (
    select * from `lv_staged_delta_orders`
),
`touched_keys` as (
    SELECT
      `customers`.`c_custkey` AS `lv_key_0`
    FROM `delta_customers` AS `customers`
    UNION
    SELECT
      `orders`.`o_custkey` AS `lv_key_0`
    FROM `delta_orders` AS `orders`
)

select * from `touched_keys`;

merge into `v__state` as t
using (
    with `delta_customers` as (
        select * from `lv_staged_delta_customers`
    ),
    `delta_orders` as (
        select * from `lv_staged_delta_orders`
    ),
    `touched_keys` as (
        select * from `lv_staged_touched_keys`
    ),
    `new_customers` as (

            select `c_custkey`, `c_name`
        from `customers` version as of 7

    ),
    `touched_customers` as (
        SELECT
          `customers`.`c_custkey` AS `c_custkey`,
          `customers`.`c_name` AS `c_name`
        FROM `new_customers` AS `customers`
        WHERE
          EXISTS(
            SELECT
              1
            FROM `touched_keys` AS `lv_touched_keys`
            WHERE
              `lv_touched_keys`.`lv_key_0` IS NOT DISTINCT FROM `customers`.`c_custkey`
          )
    ),
    `new_orders` as (

            select `o_orderkey`, `o_custkey`
        from `orders` version as of 7

    ),
    `touched_orders` as (
        SELECT
          `orders`.`o_orderkey` AS `o_orderkey`,
          `orders`.`o_custkey` AS `o_custkey`
        FROM `new_orders` AS `orders`
        WHERE
          EXISTS(
            SELECT
              1
            FROM `touched_keys` AS `lv_touched_keys`
            WHERE
              `lv_touched_keys`.`lv_key_0` IS NOT DISTINCT FROM `orders`.`o_custkey`
          )
    ),
    `left_rows` as (
        SELECT
          `customers`.`c_custkey` AS `c_custkey`,
          `customers`.`c_name` AS `c_name`
        FROM `touched_customers` AS `customers`
    ),
    `right_rows` as (
        SELECT
          `orders`.`o_orderkey` AS `o_orderkey`,
          `orders`.`o_custkey` AS `o_custkey`
        FROM `touched_orders` AS `orders`
    ),
    `outer_join` as (
        SELECT
          `left_rows`.`c_custkey` AS `c_custkey`,
          `left_rows`.`c_name` AS `c_name`,
          `right_rows`.`o_orderkey` AS `o_orderkey`,
          `right_rows`.`o_custkey` AS `o_custkey`
        FROM `left_rows` AS `left_rows`
        LEFT JOIN `right_rows` AS `right_rows`
          ON `right_rows`.`o_custkey` = `left_rows`.`c_custkey`
    ),
    `before_customers` as (

            select term.*, 1 as lv_ssn
        from (
          SELECT
            `customers`.`c_custkey` AS `c_custkey`,
            `customers`.`c_name` AS `c_name`,
            1 AS `lv_weight`
          FROM `touched_customers` AS `customers`
        ) as term

        union all

            select term.*, 2 as lv_ssn
        from (
          SELECT
            `customers`.`c_custkey` AS `c_custkey`,
            `customers`.`c_name` AS `c_name`,
            -`customers`.`lv_weight` AS `lv_weight`
          FROM `delta_customers` AS `customers`
        ) as term


    ),
    `before_customers_net` as (
        SELECT
          `before_customers`.`c_custkey` AS `c_custkey`,
          `before_customers`.`c_name` AS `c_name`,
          CAST(SUM(`before_customers`.`lv_weight`) AS BIGINT) AS `lv_weight`
        FROM `before_customers` AS `before_customers`
        GROUP BY
          1,
          2
        HAVING
          SUM(`before_customers`.`lv_weight`) > 0
    ),
    `touched_customers_before` as (
        SELECT
          `before_customers`.`c_custkey` AS `c_custkey`,
          `before_customers`.`c_name` AS `c_name`
        FROM `before_customers_net` AS `before_customers`
        LATERAL VIEW
        EXPLODE(SEQUENCE(1, `before_customers`.`lv_weight`)) lv_copies AS `lv_copy`
    ),
    `before_orders` as (

            select term.*, 1 as lv_ssn
        from (
          SELECT
            `orders`.`o_orderkey` AS `o_orderkey`,
            `orders`.`o_custkey` AS `o_custkey`,
            1 AS `lv_weight`
          FROM `touched_orders` AS `orders`
        ) as term

        union all

            select term.*, 2 as lv_ssn
        from (
          SELECT
            `orders`.`o_orderkey` AS `o_orderkey`,
            `orders`.`o_custkey` AS `o_custkey`,
            -`orders`.`lv_weight` AS `lv_weight`
          FROM `delta_orders` AS `orders`
        ) as term


    ),
    `before_orders_net` as (
        SELECT
          `before_orders`.`o_orderkey` AS `o_orderkey`,
          `before_orders`.`o_custkey` AS `o_custkey`,
          CAST(SUM(`before_orders`.`lv_weight`) AS BIGINT) AS `lv_weight`
        FROM `before_orders` AS `before_orders`
        GROUP BY
          1,
          2
        HAVING
          SUM(`before_orders`.`lv_weight`) > 0
    ),
    `touched_orders_before` as (
        SELECT
          `before_orders`.`o_orderkey` AS `o_orderkey`,
          `before_orders`.`o_custkey` AS `o_custkey`
        FROM `before_orders_net` AS `before_orders`
        LATERAL VIEW
        EXPLODE(SEQUENCE(1, `before_orders`.`lv_weight`)) lv_copies AS `lv_copy`
    ),
    `left_rows_2` as (
        SELECT
          `customers`.`c_custkey` AS `c_custkey`,
          `customers`.`c_name` AS `c_name`
        FROM `touched_customers_before` AS `customers`
    ),
    `right_rows_2` as (
        SELECT
          `orders`.`o_orderkey` AS `o_orderkey`,
          `orders`.`o_custkey` AS `o_custkey`
        FROM `touched_orders_before` AS `orders`
    ),
    `outer_join_2` as (
        SELECT
          `left_rows_2`.`c_custkey` AS `c_custkey`,
          `left_rows_2`.`c_name` AS `c_name`,
          `right_rows_2`.`o_orderkey` AS `o_orderkey`,
          `right_rows_2`.`o_custkey` AS `o_custkey`
        FROM `left_rows_2` AS `left_rows_2`
        LEFT JOIN `right_rows_2` AS `right_rows_2`
          ON `right_rows_2`.`o_custkey` = `left_rows_2`.`c_custkey`
    ),
    `view_delta` as (

            select term.*, 1 as lv_ssn
        from (
          SELECT
            `outer_join`.`c_name` AS `c_name_2`,
            `outer_join`.`o_orderkey` AS `o_orderkey_2`,
            1 AS `lv_weight`
          FROM `outer_join` AS `outer_join`
        ) as term

        union all

            select term.*, 2 as lv_ssn
        from (
          SELECT
            `outer_join_2`.`c_name` AS `c_name_2`,
            `outer_join_2`.`o_orderkey` AS `o_orderkey_2`,
            -1 AS `lv_weight`
          FROM `outer_join_2` AS `outer_join_2`
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
