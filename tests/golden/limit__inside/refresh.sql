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

        select `o_orderkey`, `o_custkey`, `o_price`, sum(lv_weight) as lv_weight
    from (

            select
            `o_orderkey`, `o_custkey`, `o_price`,
            case when `_change_type` in ('insert', 'update_postimage') then 1 else -1 end as lv_weight
        from table_changes_by_path('/lake/orders', 5, 7)

    ) as changes
    group by `o_orderkey`, `o_custkey`, `o_price`
    having sum(lv_weight) <> 0

)

select * from `delta_orders`;

merge into `v__state` as t
using (
    with `delta_customers` as (
        select * from `lv_staged_delta_customers`
    ),
    `new_orders` as (

            select `o_orderkey`, `o_custkey`, `o_price`
        from `orders` version as of 7

    ),
    `window_input` as (
        SELECT
          `orders`.`o_custkey` AS `o_custkey_2`,
          `orders`.`o_price` AS `order_key`,
          `orders`.`o_orderkey` AS `order_key_2`
        FROM `new_orders` AS `orders`
    ),
    `windowed` as (
        SELECT
          `window_input`.`o_custkey_2` AS `o_custkey_2`,
          `window_input`.`order_key` AS `order_key`,
          `window_input`.`order_key_2` AS `order_key_2`,
          ROW_NUMBER() OVER (
            ORDER BY `window_input`.`order_key` DESC, `window_input`.`order_key_2`, `window_input`.`o_custkey_2`
          ) AS `row_number`
        FROM `window_input` AS `window_input`
    ),
    `delta_orders` as (
        select * from `lv_staged_delta_orders`
    ),
    `old_orders` as (

            select `o_orderkey`, `o_custkey`, `o_price`, 1 as lv_weight from new_orders
        union all
        select `o_orderkey`, `o_custkey`, `o_price`, -lv_weight as lv_weight from delta_orders

    ),
    `partitions_old` as (

            select term.*, 1 as lv_ssn
        from (
          SELECT
            `orders`.`o_custkey` AS `o_custkey_2`,
            `orders`.`o_price` AS `order_key`,
            `orders`.`o_orderkey` AS `order_key_2`,
            `orders`.`lv_weight` AS `lv_weight`
          FROM `old_orders` AS `orders`
        ) as term


    ),
    `partitions_old_net` as (
        SELECT
          `partitions_old`.`o_custkey_2` AS `o_custkey_2`,
          `partitions_old`.`order_key` AS `order_key`,
          `partitions_old`.`order_key_2` AS `order_key_2`,
          CAST(SUM(`partitions_old`.`lv_weight`) AS BIGINT) AS `lv_weight`
        FROM `partitions_old` AS `partitions_old`
        GROUP BY
          1,
          2,
          3
        HAVING
          SUM(`partitions_old`.`lv_weight`) > 0
    ),
    `window_input_2` as (
        SELECT
          `partitions_old`.`o_custkey_2` AS `o_custkey_2`,
          `partitions_old`.`order_key` AS `order_key`,
          `partitions_old`.`order_key_2` AS `order_key_2`
        FROM `partitions_old_net` AS `partitions_old`
        LATERAL VIEW
        EXPLODE(SEQUENCE(1, `partitions_old`.`lv_weight`)) lv_copies AS `lv_copy`
    ),
    `windowed_2` as (
        SELECT
          `window_input_2`.`o_custkey_2` AS `o_custkey_2`,
          `window_input_2`.`order_key` AS `order_key`,
          `window_input_2`.`order_key_2` AS `order_key_2`,
          ROW_NUMBER() OVER (
            ORDER BY `window_input_2`.`order_key` DESC, `window_input_2`.`order_key_2`, `window_input_2`.`o_custkey_2`
          ) AS `row_number`
        FROM `window_input_2` AS `window_input_2`
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
            `windowed`.`o_custkey_2` AS `o_custkey_2`,
            1 AS `lv_weight`
          FROM `windowed` AS `windowed`
          WHERE
            (
              `windowed`.`row_number` > 0 AND `windowed`.`row_number` <= 0 + 3
            )
            AND EXISTS(
              SELECT
                1
              FROM `wanted_keys` AS `lv_wanted_keys`
              WHERE
                `lv_wanted_keys`.`lv_key_0` IS NOT DISTINCT FROM `windowed`.`o_custkey_2`
            )
        ) as term

        union all

            select term.*, 2 as lv_ssn
        from (
          SELECT
            `windowed`.`o_custkey_2` AS `o_custkey_2`,
            -1 AS `lv_weight`
          FROM `windowed` AS `windowed`
          WHERE
            (
              `windowed`.`row_number` > 0 AND `windowed`.`row_number` <= 0 + 3
            )
            AND EXISTS(
              SELECT
                1
              FROM `wanted_keys` AS `lv_wanted_keys`
              WHERE
                `lv_wanted_keys`.`lv_key_0` IS NOT DISTINCT FROM `windowed`.`o_custkey_2`
            )
        ) as term

        union all

            select term.*, 3 as lv_ssn
        from (
          SELECT
            `windowed_2`.`o_custkey_2` AS `o_custkey_2`,
            -(
              -1
            ) AS `lv_weight`
          FROM `windowed_2` AS `windowed_2`
          WHERE
            (
              `windowed_2`.`row_number` > 0 AND `windowed_2`.`row_number` <= 0 + 3
            )
            AND EXISTS(
              SELECT
                1
              FROM `wanted_keys` AS `lv_wanted_keys`
              WHERE
                `lv_wanted_keys`.`lv_key_0` IS NOT DISTINCT FROM `windowed_2`.`o_custkey_2`
            )
        ) as term


    ),
    `input_delta` as (

            select term.*, 1 as lv_ssn
        from (
          SELECT
            `windowed`.`o_custkey_2` AS `o_custkey_2`,
            1 AS `lv_weight`
          FROM `windowed` AS `windowed`
          WHERE
            `windowed`.`row_number` > 0 AND `windowed`.`row_number` <= 0 + 3
        ) as term

        union all

            select term.*, 2 as lv_ssn
        from (
          SELECT
            `windowed_2`.`o_custkey_2` AS `o_custkey_2`,
            -1 AS `lv_weight`
          FROM `windowed_2` AS `windowed_2`
          WHERE
            `windowed_2`.`row_number` > 0 AND `windowed_2`.`row_number` <= 0 + 3
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
            `customers`.`lv_weight` * `input_rows`.`lv_weight` AS `lv_weight`
          FROM `delta_customers` AS `customers`, `input_rows` AS `input_rows`
          WHERE
            `input_rows`.`o_custkey_2` = `customers`.`c_custkey`
        ) as term

        union all

            select term.*, 2 as lv_ssn
        from (
          SELECT
            `customers`.`c_name` AS `c_name_2`,
            `input_delta`.`lv_weight` AS `lv_weight`
          FROM `input_delta` AS `input_delta`, `new_customers` AS `customers`
          WHERE
            `input_delta`.`o_custkey_2` = `customers`.`c_custkey`
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
