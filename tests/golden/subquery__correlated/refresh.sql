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

cache table `lv_staged_left_rows_2` as
with `delta_customers` as (
    select * from `lv_staged_delta_customers`
),
`delta_orders` as (
    select * from `lv_staged_delta_orders`
),
`affected` as (
    SELECT DISTINCT
      `orders`.`o_custkey` AS `correlated`
    FROM `delta_orders` AS `orders`
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
`left_rows_2` as (
    SELECT
      `customers`.`c_custkey` AS `c_custkey`,
      `customers`.`c_name` AS `c_name`,
      `customers`.`lv_weight` AS `lv_weight`
    FROM `old_customers` AS `customers`
    WHERE
      EXISTS(
        SELECT
          1
        FROM `affected` AS `lv_affected`
        WHERE
          `lv_affected`.`correlated` IS NOT DISTINCT FROM `customers`.`c_custkey`
      )
)

select * from `left_rows_2`;

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
    `left_rows_2` as (
        select * from `lv_staged_left_rows_2`
    ),
    `right_rows_2` as (
        SELECT
          `groups_new`.`correlated` AS `correlated`,
          `groups_new`.`count_1` AS `count_1`
        FROM `groups_new` AS `groups_new`
    ),
    `outer_join_2` as (
        SELECT
          `left_rows_2`.`c_custkey` AS `c_custkey`,
          `left_rows_2`.`c_name` AS `c_name`,
          `right_rows_2`.`correlated` AS `correlated`,
          `right_rows_2`.`count_1` AS `count_1`,
          `left_rows_2`.`lv_weight` AS `lv_weight`
        FROM `left_rows_2` AS `left_rows_2`
        LEFT JOIN `right_rows_2` AS `right_rows_2`
          ON `right_rows_2`.`correlated` = `left_rows_2`.`c_custkey`
    ),
    `right_rows_3` as (
        SELECT
          `groups_old`.`correlated` AS `correlated`,
          `groups_old`.`count_1` AS `count_1`
        FROM `groups_old` AS `groups_old`
    ),
    `outer_join_3` as (
        SELECT
          `left_rows_2`.`c_custkey` AS `c_custkey`,
          `left_rows_2`.`c_name` AS `c_name`,
          `right_rows_3`.`correlated` AS `correlated`,
          `right_rows_3`.`count_1` AS `count_1`,
          `left_rows_2`.`lv_weight` AS `lv_weight`
        FROM `left_rows_2` AS `left_rows_2`
        LEFT JOIN `right_rows_3` AS `right_rows_3`
          ON `right_rows_3`.`correlated` = `left_rows_2`.`c_custkey`
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
            `outer_join_2`.`c_name` AS `c_name_2`,
            COALESCE(`outer_join_2`.`count_1`, 0) AS `orders`,
            `outer_join_2`.`lv_weight` AS `lv_weight`
          FROM `outer_join_2` AS `outer_join_2`
        ) as term

        union all

            select term.*, 3 as lv_ssn
        from (
          SELECT
            `outer_join_3`.`c_name` AS `c_name_2`,
            COALESCE(`outer_join_3`.`count_1`, 0) AS `orders`,
            -`outer_join_3`.`lv_weight` AS `lv_weight`
          FROM `outer_join_3` AS `outer_join_3`
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
