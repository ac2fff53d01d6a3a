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

        select `o_custkey`, `o_price`, sum(lv_weight) as lv_weight
    from (

            select
            `o_custkey`, `o_price`,
            case when `_change_type` in ('insert', 'update_postimage') then 1 else -1 end as lv_weight
        from table_changes_by_path('/lake/orders', 5, 7)

    ) as changes
    group by `o_custkey`, `o_price`
    having sum(lv_weight) <> 0

)

select * from `delta_orders`;

cache table `lv_staged_groups_old` as
with `new_orders` as (

        select `o_custkey`, `o_price`
    from `orders` version as of 7

),
`delta_orders` as (
    select * from `lv_staged_delta_orders`
),
`affected` as (
    SELECT DISTINCT
      `orders`.`o_custkey` AS `o_custkey_2`
    FROM `delta_orders` AS `orders`
),
`old_orders` as (

        select `o_custkey`, `o_price`, 1 as lv_weight from new_orders
    union all
    select `o_custkey`, `o_price`, -lv_weight as lv_weight from delta_orders

),
`input_old` as (

        select term.*, 1 as lv_ssn
    from (
      SELECT
        `orders`.`o_custkey` AS `o_custkey`,
        `orders`.`o_price` AS `o_price`,
        `orders`.`lv_weight` AS `lv_weight`
      FROM `old_orders` AS `orders`
      WHERE
        EXISTS(
          SELECT
            1
          FROM `affected` AS `lv_affected`
          WHERE
            `lv_affected`.`o_custkey_2` IS NOT DISTINCT FROM `orders`.`o_custkey`
        )
    ) as term


),
`input_old_net` as (
    SELECT
      `input_old`.`o_custkey` AS `o_custkey`,
      `input_old`.`o_price` AS `o_price`,
      CAST(SUM(`input_old`.`lv_weight`) AS BIGINT) AS `lv_weight`
    FROM `input_old` AS `input_old`
    GROUP BY
      1,
      2
    HAVING
      SUM(`input_old`.`lv_weight`) > 0
),
`groups_old` as (
    SELECT
      `input_old`.`o_custkey` AS `o_custkey_2`,
      SUM(`input_old`.`o_price`) AS `sum_1`
    FROM `input_old_net` AS `input_old`
    LATERAL VIEW
    EXPLODE(SEQUENCE(1, `input_old`.`lv_weight`)) lv_copies AS `lv_copy`
    GROUP BY
      1
)

select * from `groups_old`;

merge into `v__state` as t
using (
    with `delta_customers` as (
        select * from `lv_staged_delta_customers`
    ),
    `new_orders` as (

            select `o_custkey`, `o_price`
        from `orders` version as of 7

    ),
    `groups` as (
        SELECT
          `orders`.`o_custkey` AS `o_custkey_2`,
          SUM(`orders`.`o_price`) AS `sum_1`
        FROM `new_orders` AS `orders`
        GROUP BY
          1
    ),
    `delta_orders` as (
        select * from `lv_staged_delta_orders`
    ),
    `affected` as (
        SELECT DISTINCT
          `orders`.`o_custkey` AS `o_custkey_2`
        FROM `delta_orders` AS `orders`
    ),
    `groups_new` as (
        SELECT
          `orders`.`o_custkey` AS `o_custkey_2`,
          SUM(`orders`.`o_price`) AS `sum_1`
        FROM `new_orders` AS `orders`
        WHERE
          EXISTS(
            SELECT
              1
            FROM `affected` AS `lv_affected`
            WHERE
              `lv_affected`.`o_custkey_2` IS NOT DISTINCT FROM `orders`.`o_custkey`
          )
        GROUP BY
          1
    ),
    `groups_old` as (
        select * from `lv_staged_groups_old`
    ),
    `wanted_keys` as (
        SELECT DISTINCT
          `customers`.`c_custkey` AS `lv_key_0`
        FROM `delta_customers` AS `customers`
    ),
    `input_rows` as (

            select term.*, 1 as lv_ssn
        from (
          SELECT
            `groups`.`o_custkey_2` AS `o_custkey_3`,
            `groups`.`sum_1` AS `total`,
            1 AS `lv_weight`
          FROM `groups` AS `groups`
          WHERE
            EXISTS(
              SELECT
                1
              FROM `wanted_keys` AS `lv_wanted_keys`
              WHERE
                `lv_wanted_keys`.`lv_key_0` IS NOT DISTINCT FROM `groups`.`o_custkey_2`
            )
        ) as term

        union all

            select term.*, 2 as lv_ssn
        from (
          SELECT
            `groups_new`.`o_custkey_2` AS `o_custkey_3`,
            `groups_new`.`sum_1` AS `total`,
            -1 AS `lv_weight`
          FROM `groups_new` AS `groups_new`
          WHERE
            EXISTS(
              SELECT
                1
              FROM `wanted_keys` AS `lv_wanted_keys`
              WHERE
                `lv_wanted_keys`.`lv_key_0` IS NOT DISTINCT FROM `groups_new`.`o_custkey_2`
            )
        ) as term

        union all

            select term.*, 3 as lv_ssn
        from (
          SELECT
            `groups_old`.`o_custkey_2` AS `o_custkey_3`,
            `groups_old`.`sum_1` AS `total`,
            -(
              -1
            ) AS `lv_weight`
          FROM `groups_old` AS `groups_old`
          WHERE
            EXISTS(
              SELECT
                1
              FROM `wanted_keys` AS `lv_wanted_keys`
              WHERE
                `lv_wanted_keys`.`lv_key_0` IS NOT DISTINCT FROM `groups_old`.`o_custkey_2`
            )
        ) as term


    ),
    `input_delta` as (

            select term.*, 1 as lv_ssn
        from (
          SELECT
            `groups_new`.`o_custkey_2` AS `o_custkey_3`,
            `groups_new`.`sum_1` AS `total`,
            1 AS `lv_weight`
          FROM `groups_new` AS `groups_new`
        ) as term

        union all

            select term.*, 2 as lv_ssn
        from (
          SELECT
            `groups_old`.`o_custkey_2` AS `o_custkey_3`,
            `groups_old`.`sum_1` AS `total`,
            -1 AS `lv_weight`
          FROM `groups_old` AS `groups_old`
        ) as term


    ),
    `new_customers` as (

            select `c_custkey`, `c_name`
        from `customers` version as of 7

    ),
    `view_delta` as (

            select term.*, 1 as lv_ssn
        from (
          SELECT
            `customers`.`c_name` AS `c_name_2`,
            `input_rows`.`total` AS `total_2`,
            `customers`.`lv_weight` * `input_rows`.`lv_weight` AS `lv_weight`
          FROM `delta_customers` AS `customers`, `input_rows` AS `input_rows`
          WHERE
            `input_rows`.`o_custkey_3` = `customers`.`c_custkey`
        ) as term

        union all

            select term.*, 2 as lv_ssn
        from (
          SELECT
            `customers`.`c_name` AS `c_name_2`,
            `input_delta`.`total` AS `total_2`,
            `input_delta`.`lv_weight` AS `lv_weight`
          FROM `input_delta` AS `input_delta`, `new_customers` AS `customers`
          WHERE
            `input_delta`.`o_custkey_3` = `customers`.`c_custkey`
        ) as term


    ),
    `view_change` as (
        SELECT
          `view_delta`.`c_name_2` AS `c_name_2`,
          `view_delta`.`total_2` AS `total_2`,
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
on t.`c_name_2` <=> d.`c_name_2` and t.`total_2` <=> d.`total_2`
when matched and t.lv_count + d.lv_count = 0 then delete
when matched then update set
    `lv_count` = `t`.`lv_count` + COALESCE(`d`.`lv_count`, 0)
when not matched and d.lv_count <> 0 then insert (`c_name_2`, `total_2`, `lv_count`)
values (d.`c_name_2`, d.`total_2`, d.`lv_count`)
