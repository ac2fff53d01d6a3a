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

cache table `lv_staged_delta_customers` as
with `delta_customers` as (

        select `c_custkey`, `c_nation`, sum(lv_weight) as lv_weight
    from (

            select
            `c_custkey`, `c_nation`,
            case when `_change_type` in ('insert', 'update_postimage') then 1 else -1 end as lv_weight
        from table_changes_by_path('/lake/customers', 5, 7)

    ) as changes
    group by `c_custkey`, `c_nation`
    having sum(lv_weight) <> 0

)

select * from `delta_customers`;

merge into `v__state` as t
using (
    with `delta_orders` as (
        select * from `lv_staged_delta_orders`
    ),
    `new_customers` as (

            select `c_custkey`, `c_nation`
        from `customers` version as of 7

    ),
    `delta_customers` as (
        select * from `lv_staged_delta_customers`
    ),
    `old_customers` as (

            select `c_custkey`, `c_nation`, 1 as lv_weight from new_customers
        union all
        select `c_custkey`, `c_nation`, -lv_weight as lv_weight from delta_customers

    ),
    `new_orders` as (

            select `o_custkey`, `o_price`
        from `orders` version as of 7

    ),
    `input_delta` as (

            select term.*, 1 as lv_ssn
        from (
          SELECT
            `orders`.`o_custkey` AS `o_custkey`,
            `orders`.`o_price` AS `o_price`,
            `customers`.`c_custkey` AS `c_custkey`,
            `customers`.`c_nation` AS `c_nation`,
            `orders`.`lv_weight` * `customers`.`lv_weight` AS `lv_weight`
          FROM `delta_orders` AS `orders`, `old_customers` AS `customers`
          WHERE
            `orders`.`o_custkey` = `customers`.`c_custkey`
        ) as term

        union all

            select term.*, 2 as lv_ssn
        from (
          SELECT
            `orders`.`o_custkey` AS `o_custkey`,
            `orders`.`o_price` AS `o_price`,
            `customers`.`c_custkey` AS `c_custkey`,
            `customers`.`c_nation` AS `c_nation`,
            `customers`.`lv_weight` AS `lv_weight`
          FROM `delta_customers` AS `customers`, `new_orders` AS `orders`
          WHERE
            `orders`.`o_custkey` = `customers`.`c_custkey`
        ) as term


    ),
    `groups` as (
        SELECT
          AVG(`orders`.`o_price`) AS `avg_1`
        FROM `new_orders` AS `orders`
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
            `orders`.`o_price` AS `orders_o_price`,
            `orders`.`lv_weight` AS `lv_weight`
          FROM `old_orders` AS `orders`
        ) as term


    ),
    `input_old_net` as (
        SELECT
          `input_old`.`orders_o_price` AS `orders_o_price`,
          CAST(SUM(`input_old`.`lv_weight`) AS BIGINT) AS `lv_weight`
        FROM `input_old` AS `input_old`
        GROUP BY
          1
        HAVING
          SUM(`input_old`.`lv_weight`) > 0
    ),
    `groups_old` as (
        SELECT
          AVG(`input_old`.`orders_o_price`) AS `avg_1`
        FROM `input_old_net` AS `input_old`
        LATERAL VIEW
        EXPLODE(SEQUENCE(1, `input_old`.`lv_weight`)) lv_copies AS `lv_copy`
    ),
    `input_rows` as (

            select term.*, 1 as lv_ssn
        from (
          SELECT
            `groups`.`avg_1` AS `col_0`,
            1 AS `lv_weight`
          FROM `groups` AS `groups`
        ) as term

        union all

            select term.*, 2 as lv_ssn
        from (
          SELECT
            `groups`.`avg_1` AS `col_0`,
            -1 AS `lv_weight`
          FROM `groups` AS `groups`
        ) as term

        union all

            select term.*, 3 as lv_ssn
        from (
          SELECT
            `groups_old`.`avg_1` AS `col_0`,
            -(
              -1
            ) AS `lv_weight`
          FROM `groups_old` AS `groups_old`
        ) as term


    ),
    `input_delta_2` as (

            select term.*, 1 as lv_ssn
        from (
          SELECT
            `groups`.`avg_1` AS `col_0`,
            1 AS `lv_weight`
          FROM `groups` AS `groups`
        ) as term

        union all

            select term.*, 2 as lv_ssn
        from (
          SELECT
            `groups_old`.`avg_1` AS `col_0`,
            -1 AS `lv_weight`
          FROM `groups_old` AS `groups_old`
        ) as term


    ),
    `view_delta` as (

            select term.*, 1 as lv_ssn
        from (
          SELECT
            `input_delta`.`c_nation` AS `c_nation_2`,
            `input_delta`.`o_price` AS `lv_argument_1`,
            `input_delta`.`lv_weight` * `input_rows`.`lv_weight` AS `lv_weight`
          FROM `input_delta` AS `input_delta`, `input_rows` AS `input_rows`
          WHERE
            `input_delta`.`o_price` > `input_rows`.`col_0`
        ) as term

        union all

            select term.*, 2 as lv_ssn
        from (
          SELECT
            `customers`.`c_nation` AS `c_nation_2`,
            `orders`.`o_price` AS `lv_argument_1`,
            `input_delta`.`lv_weight` AS `lv_weight`
          FROM `input_delta_2` AS `input_delta`, `new_orders` AS `orders`, `new_customers` AS `customers`
          WHERE
            `orders`.`o_custkey` = `customers`.`c_custkey`
            AND `orders`.`o_price` > `input_delta`.`col_0`
        ) as term


    ),
    `view_change` as (
        SELECT
          `view_delta`.`c_nation_2` AS `c_nation_2`,
          SUM(`view_delta`.`lv_weight`) AS `lv_count`,
          CAST(SUM(`view_delta`.`lv_argument_1` * CAST(`view_delta`.`lv_weight` AS DECIMAL(9, 0))) AS DECIMAL(22, 2)) AS `lv_sum_1`,
          SUM(
            CASE
              WHEN `view_delta`.`lv_argument_1` IS NULL
              THEN 0
              ELSE `view_delta`.`lv_weight`
            END
          ) AS `lv_n_2`
        FROM `view_delta` AS `view_delta`
        GROUP BY
          1
        HAVING
          SUM(`view_delta`.`lv_weight`) <> 0
          OR SUM(`view_delta`.`lv_argument_1` * CAST(`view_delta`.`lv_weight` AS DECIMAL(9, 0))) <> 0
          OR SUM(
            CASE
              WHEN `view_delta`.`lv_argument_1` IS NULL
              THEN 0
              ELSE `view_delta`.`lv_weight`
            END
          ) <> 0
    )

    select * from `view_change`
) as d
on t.`c_nation_2` <=> d.`c_nation_2`
when matched and t.lv_count + d.lv_count = 0 then delete
when matched then update set
    `lv_count` = `t`.`lv_count` + COALESCE(`d`.`lv_count`, 0),
    `lv_sum_1` = CAST(COALESCE(`t`.`lv_sum_1` + `d`.`lv_sum_1`, `t`.`lv_sum_1`, `d`.`lv_sum_1`) AS DECIMAL(22, 2)),
    `lv_n_2` = COALESCE(`t`.`lv_n_2` + `d`.`lv_n_2`, `t`.`lv_n_2`, `d`.`lv_n_2`)
when not matched and d.lv_count <> 0 then insert (`c_nation_2`, `lv_count`, `lv_sum_1`, `lv_n_2`)
values (d.`c_nation_2`, d.`lv_count`, d.`lv_sum_1`, d.`lv_n_2`)
