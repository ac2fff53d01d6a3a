merge into `v__state` as t
using (
    with `new_orders` as (

            select `o_orderkey`, `o_custkey`, `o_status`, `o_price`
        from `orders` version as of 7

    ),
    `new_customers` as (

            select `c_custkey`, `c_nation`
        from `customers` version as of 7

    ),
    `delta_orders` as (

            select `o_orderkey`, `o_custkey`, `o_status`, `o_price`, sum(lv_weight) as lv_weight
        from (

                select
                `o_orderkey`, `o_custkey`, `o_status`, `o_price`,
                case when `_change_type` in ('insert', 'update_postimage') then 1 else -1 end as lv_weight
            from table_changes_by_path('/lake/orders', 5, 7)

        ) as changes
        group by `o_orderkey`, `o_custkey`, `o_status`, `o_price`
        having sum(lv_weight) <> 0

    ),
    `old_orders` as (

            select `o_orderkey`, `o_custkey`, `o_status`, `o_price`, 1 as lv_weight from new_orders
        union all
        select `o_orderkey`, `o_custkey`, `o_status`, `o_price`, -lv_weight as lv_weight from delta_orders

    ),
    `delta_customers` as (

            select `c_custkey`, `c_nation`, sum(lv_weight) as lv_weight
        from (

                select
                `c_custkey`, `c_nation`,
                case when `_change_type` in ('insert', 'update_postimage') then 1 else -1 end as lv_weight
            from table_changes_by_path('/lake/customers', 5, 7)

        ) as changes
        group by `c_custkey`, `c_nation`
        having sum(lv_weight) <> 0

    ),
    `old_customers` as (

            select `c_custkey`, `c_nation`, 1 as lv_weight from new_customers
        union all
        select `c_custkey`, `c_nation`, -lv_weight as lv_weight from delta_customers

    ),
    `partitions_old` as (

            select term.*, 1 as lv_ssn
        from (
          SELECT
            `orders`.`o_orderkey` AS `o_orderkey`,
            `orders`.`o_custkey` AS `o_custkey`,
            `orders`.`o_status` AS `o_status`,
            `orders`.`o_price` AS `o_price`,
            `customers`.`c_custkey` AS `c_custkey`,
            `customers`.`c_nation` AS `c_nation`,
            `orders`.`lv_weight` * `customers`.`lv_weight` AS `lv_weight`
          FROM `old_orders` AS `orders`, `old_customers` AS `customers`
          WHERE
            `orders`.`o_custkey` = `customers`.`c_custkey`
            AND `orders`.`o_status` <> 'cancelled'
        ) as term


    ),
    `partitions_old_net` as (
        SELECT
          `partitions_old`.`o_orderkey` AS `o_orderkey`,
          `partitions_old`.`o_custkey` AS `o_custkey`,
          `partitions_old`.`o_status` AS `o_status`,
          `partitions_old`.`o_price` AS `o_price`,
          `partitions_old`.`c_custkey` AS `c_custkey`,
          `partitions_old`.`c_nation` AS `c_nation`,
          CAST(SUM(`partitions_old`.`lv_weight`) AS BIGINT) AS `lv_weight`
        FROM `partitions_old` AS `partitions_old`
        GROUP BY
          1,
          2,
          3,
          4,
          5,
          6
        HAVING
          SUM(`partitions_old`.`lv_weight`) > 0
    ),
    `window_input` as (
        SELECT
          `orders`.`o_orderkey` AS `o_orderkey`,
          `orders`.`o_custkey` AS `o_custkey`,
          `orders`.`o_status` AS `o_status`,
          `orders`.`o_price` AS `o_price`,
          `customers`.`c_custkey` AS `c_custkey`,
          `customers`.`c_nation` AS `c_nation`
        FROM `new_orders` AS `orders`, `new_customers` AS `customers`
        WHERE
          `orders`.`o_custkey` = `customers`.`c_custkey`
          AND `orders`.`o_status` <> 'cancelled'
    ),
    `windowed` as (
        SELECT
          `window_input`.`o_orderkey` AS `o_orderkey`,
          `window_input`.`o_custkey` AS `o_custkey`,
          `window_input`.`o_status` AS `o_status`,
          `window_input`.`o_price` AS `o_price`,
          `window_input`.`c_custkey` AS `c_custkey`,
          `window_input`.`c_nation` AS `c_nation`,
          ROW_NUMBER() OVER (
            ORDER BY `window_input`.`o_price` DESC, `window_input`.`o_orderkey`, `window_input`.`o_custkey`, `window_input`.`o_status`, `window_input`.`c_custkey`, `window_input`.`c_nation`
          ) AS `window`
        FROM `window_input` AS `window_input`
    ),
    `window_input_2` as (
        SELECT
          `partitions_old`.`o_orderkey` AS `o_orderkey`,
          `partitions_old`.`o_custkey` AS `o_custkey`,
          `partitions_old`.`o_status` AS `o_status`,
          `partitions_old`.`o_price` AS `o_price`,
          `partitions_old`.`c_custkey` AS `c_custkey`,
          `partitions_old`.`c_nation` AS `c_nation`
        FROM `partitions_old_net` AS `partitions_old`
        LATERAL VIEW
        EXPLODE(SEQUENCE(1, `partitions_old`.`lv_weight`)) lv_copies AS `lv_copy`
    ),
    `windowed_2` as (
        SELECT
          `window_input_2`.`o_orderkey` AS `o_orderkey`,
          `window_input_2`.`o_custkey` AS `o_custkey`,
          `window_input_2`.`o_status` AS `o_status`,
          `window_input_2`.`o_price` AS `o_price`,
          `window_input_2`.`c_custkey` AS `c_custkey`,
          `window_input_2`.`c_nation` AS `c_nation`,
          ROW_NUMBER() OVER (
            ORDER BY `window_input_2`.`o_price` DESC, `window_input_2`.`o_orderkey`, `window_input_2`.`o_custkey`, `window_input_2`.`o_status`, `window_input_2`.`c_custkey`, `window_input_2`.`c_nation`
          ) AS `window`
        FROM `window_input_2` AS `window_input_2`
    ),
    `view_delta` as (

            select term.*, 1 as lv_ssn
        from (
          SELECT
            `windowed`.`c_nation` AS `c_nation_2`,
            `windowed`.`o_orderkey` AS `o_orderkey_2`,
            `windowed`.`o_price` AS `o_price_2`,
            `windowed`.`window` AS `place`,
            1 AS `lv_weight`
          FROM `windowed` AS `windowed`
        ) as term

        union all

            select term.*, 2 as lv_ssn
        from (
          SELECT
            `windowed_2`.`c_nation` AS `c_nation_2`,
            `windowed_2`.`o_orderkey` AS `o_orderkey_2`,
            `windowed_2`.`o_price` AS `o_price_2`,
            `windowed_2`.`window` AS `place`,
            -1 AS `lv_weight`
          FROM `windowed_2` AS `windowed_2`
        ) as term


    ),
    `view_change` as (
        SELECT
          `view_delta`.`c_nation_2` AS `c_nation_2`,
          `view_delta`.`o_orderkey_2` AS `o_orderkey_2`,
          `view_delta`.`o_price_2` AS `o_price_2`,
          `view_delta`.`place` AS `place`,
          SUM(`view_delta`.`lv_weight`) AS `lv_count`
        FROM `view_delta` AS `view_delta`
        GROUP BY
          1,
          2,
          3,
          4
        HAVING
          SUM(`view_delta`.`lv_weight`) <> 0
    )

    select * from `view_change`
) as d
on t.`c_nation_2` <=> d.`c_nation_2` and t.`o_orderkey_2` <=> d.`o_orderkey_2` and t.`o_price_2` <=> d.`o_price_2` and t.`place` <=> d.`place`
when matched and t.lv_count + d.lv_count = 0 then delete
when matched then update set
    `lv_count` = `t`.`lv_count` + COALESCE(`d`.`lv_count`, 0)
when not matched and d.lv_count <> 0 then insert (`c_nation_2`, `o_orderkey_2`, `o_price_2`, `place`, `lv_count`)
values (d.`c_nation_2`, d.`o_orderkey_2`, d.`o_price_2`, d.`place`, d.`lv_count`)
