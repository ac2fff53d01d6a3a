merge into `v__state` as t
using (
    with `new_customers` as (

            select `c_custkey`, `c_name`
        from `customers` version as of 7

    ),
    `groups` as (
        SELECT
          `customers`.`c_custkey` AS `domain_c_custkey`
        FROM `new_customers` AS `customers`
        GROUP BY
          1
    ),
    `new_orders` as (

            select `o_custkey`
        from `orders` version as of 7

    ),
    `groups_2` as (
        SELECT
          `groups`.`domain_c_custkey` AS `c_custkey_2_2`,
          COUNT(*) AS `count_1`
        FROM `new_orders` AS `orders`, `groups` AS `groups`
        WHERE
          (
            `orders`.`o_custkey` = `groups`.`domain_c_custkey`
          )
        GROUP BY
          1
    ),
    `left_rows` as (
        SELECT
          `groups`.`domain_c_custkey` AS `c_custkey_3`
        FROM `groups` AS `groups`
    ),
    `right_rows` as (
        SELECT
          `groups_2`.`count_1` AS `count_1_2`,
          `groups_2`.`c_custkey_2_2` AS `c_custkey_2_2`
        FROM `groups_2` AS `groups_2`
    ),
    `outer_join` as (
        SELECT
          `left_rows`.`c_custkey_3` AS `c_custkey_3`,
          `right_rows`.`count_1_2` AS `count_1_2`,
          `right_rows`.`c_custkey_2_2` AS `c_custkey_2_2`
        FROM `left_rows` AS `left_rows`
        LEFT JOIN `right_rows` AS `right_rows`
          ON `right_rows`.`c_custkey_2_2` IS NOT DISTINCT FROM `left_rows`.`c_custkey_3`
    ),
    `delta_customers` as (

            select `c_custkey`, `c_name`, sum(lv_weight) as lv_weight
        from (

                select
                `c_custkey`, `c_name`,
                case when `_change_type` in ('insert', 'update_postimage') then 1 else -1 end as lv_weight
            from table_changes_by_path('/lake/customers', 5, 7)

        ) as changes
        group by `c_custkey`, `c_name`
        having sum(lv_weight) <> 0

    ),
    `left_rows_2` as (
        SELECT
          `customers`.`c_custkey` AS `c_custkey`,
          `customers`.`c_name` AS `c_name`,
          `customers`.`lv_weight` AS `lv_weight`
        FROM `delta_customers` AS `customers`
    ),
    `right_rows_2` as (
        SELECT
          COALESCE(`outer_join`.`count_1_2`, 0) AS `col_0`,
          `outer_join`.`c_custkey_3` AS `c_custkey_3`
        FROM `outer_join` AS `outer_join`
    ),
    `outer_join_2` as (
        SELECT
          `left_rows_2`.`c_custkey` AS `c_custkey`,
          `left_rows_2`.`c_name` AS `c_name`,
          `right_rows_2`.`col_0` AS `col_0`,
          `right_rows_2`.`c_custkey_3` AS `c_custkey_3`,
          `left_rows_2`.`lv_weight` AS `lv_weight`
        FROM `left_rows_2` AS `left_rows_2`
        LEFT JOIN `right_rows_2` AS `right_rows_2`
          ON `right_rows_2`.`c_custkey_3` IS NOT DISTINCT FROM `left_rows_2`.`c_custkey`
    ),
    `old_customers` as (

            select `c_custkey`, `c_name`, 1 as lv_weight from new_customers
        union all
        select `c_custkey`, `c_name`, -lv_weight as lv_weight from delta_customers

    ),
    `affected` as (
        SELECT DISTINCT
          `customers`.`c_custkey` AS `domain_c_custkey`
        FROM `delta_customers` AS `customers`
    ),
    `groups_new` as (
        SELECT
          `customers`.`c_custkey` AS `domain_c_custkey`
        FROM `new_customers` AS `customers`
        WHERE
          EXISTS(
            SELECT
              1
            FROM `affected` AS `lv_affected`
            WHERE
              `lv_affected`.`domain_c_custkey` IS NOT DISTINCT FROM `customers`.`c_custkey`
          )
        GROUP BY
          1
    ),
    `input_old` as (

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
                1
              FROM `affected` AS `lv_affected`
              WHERE
                `lv_affected`.`domain_c_custkey` IS NOT DISTINCT FROM `customers`.`c_custkey`
            )
        ) as term


    ),
    `input_old_net` as (
        SELECT
          `input_old`.`c_custkey` AS `c_custkey`,
          `input_old`.`c_name` AS `c_name`,
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
          `input_old`.`c_custkey` AS `domain_c_custkey`
        FROM `input_old_net` AS `input_old`
        LATERAL VIEW
        EXPLODE(SEQUENCE(1, `input_old`.`lv_weight`)) lv_copies AS `lv_copy`
        GROUP BY
          1
    ),
    `left_delta` as (

            select term.*, 1 as lv_ssn
        from (
          SELECT
            `groups_new`.`domain_c_custkey` AS `c_custkey_3`,
            1 AS `lv_weight`
          FROM `groups_new` AS `groups_new`
        ) as term

        union all

            select term.*, 2 as lv_ssn
        from (
          SELECT
            `groups_old`.`domain_c_custkey` AS `c_custkey_3`,
            -1 AS `lv_weight`
          FROM `groups_old` AS `groups_old`
        ) as term


    ),
    `left_rows_3` as (
        SELECT
          `left_delta`.`c_custkey_3` AS `c_custkey_3`,
          `left_delta`.`lv_weight` AS `lv_weight`
        FROM `left_delta` AS `left_delta`
    ),
    `outer_join_3` as (
        SELECT
          `left_rows_3`.`c_custkey_3` AS `c_custkey_3`,
          `right_rows`.`count_1_2` AS `count_1_2`,
          `right_rows`.`c_custkey_2_2` AS `c_custkey_2_2`,
          `left_rows_3`.`lv_weight` AS `lv_weight`
        FROM `left_rows_3` AS `left_rows_3`
        LEFT JOIN `right_rows` AS `right_rows`
          ON `right_rows`.`c_custkey_2_2` IS NOT DISTINCT FROM `left_rows_3`.`c_custkey_3`
    ),
    `left_old` as (

            select term.*, 1 as lv_ssn
        from (
          SELECT
            `groups`.`domain_c_custkey` AS `c_custkey_3`,
            1 AS `lv_weight`
          FROM `groups` AS `groups`
        ) as term

        union all

            select term.*, 2 as lv_ssn
        from (
          SELECT
            `groups_new`.`domain_c_custkey` AS `c_custkey_3`,
            -1 AS `lv_weight`
          FROM `groups_new` AS `groups_new`
        ) as term

        union all

            select term.*, 3 as lv_ssn
        from (
          SELECT
            `groups_old`.`domain_c_custkey` AS `c_custkey_3`,
            -(
              -1
            ) AS `lv_weight`
          FROM `groups_old` AS `groups_old`
        ) as term


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
    `input_rows` as (

            select term.*, 1 as lv_ssn
        from (
          SELECT
            `groups`.`domain_c_custkey` AS `c_custkey_2`,
            1 AS `lv_weight`
          FROM `groups` AS `groups`
        ) as term

        union all

            select term.*, 2 as lv_ssn
        from (
          SELECT
            `groups_new`.`domain_c_custkey` AS `c_custkey_2`,
            -1 AS `lv_weight`
          FROM `groups_new` AS `groups_new`
        ) as term

        union all

            select term.*, 3 as lv_ssn
        from (
          SELECT
            `groups_old`.`domain_c_custkey` AS `c_custkey_2`,
            -(
              -1
            ) AS `lv_weight`
          FROM `groups_old` AS `groups_old`
        ) as term


    ),
    `input_delta` as (

            select term.*, 1 as lv_ssn
        from (
          SELECT
            `groups_new`.`domain_c_custkey` AS `c_custkey_2`,
            1 AS `lv_weight`
          FROM `groups_new` AS `groups_new`
        ) as term

        union all

            select term.*, 2 as lv_ssn
        from (
          SELECT
            `groups_old`.`domain_c_custkey` AS `c_custkey_2`,
            -1 AS `lv_weight`
          FROM `groups_old` AS `groups_old`
        ) as term


    ),
    `input_delta_2` as (

            select term.*, 1 as lv_ssn
        from (
          SELECT
            `orders`.`o_custkey` AS `o_custkey`,
            `input_rows`.`c_custkey_2` AS `c_custkey_2`,
            `orders`.`lv_weight` * `input_rows`.`lv_weight` AS `lv_weight`
          FROM `delta_orders` AS `orders`, `input_rows` AS `input_rows`
          WHERE
            (
              `orders`.`o_custkey` = `input_rows`.`c_custkey_2`
            )
        ) as term

        union all

            select term.*, 2 as lv_ssn
        from (
          SELECT
            `orders`.`o_custkey` AS `o_custkey`,
            `input_delta`.`c_custkey_2` AS `c_custkey_2`,
            `input_delta`.`lv_weight` AS `lv_weight`
          FROM `input_delta` AS `input_delta`, `new_orders` AS `orders`
          WHERE
            (
              `orders`.`o_custkey` = `input_delta`.`c_custkey_2`
            )
        ) as term


    ),
    `affected_2` as (
        SELECT DISTINCT
          `input_delta`.`c_custkey_2` AS `c_custkey_2_2`
        FROM `input_delta_2` AS `input_delta`
    ),
    `old_orders` as (

            select `o_custkey`, 1 as lv_weight from new_orders
        union all
        select `o_custkey`, -lv_weight as lv_weight from delta_orders

    ),
    `groups_new_2` as (
        SELECT
          `groups`.`domain_c_custkey` AS `c_custkey_2_2`,
          COUNT(*) AS `count_1`
        FROM `new_orders` AS `orders`, `groups` AS `groups`
        WHERE
          (
            `orders`.`o_custkey` = `groups`.`domain_c_custkey`
          )
          AND EXISTS(
            SELECT
              1
            FROM `affected_2` AS `lv_affected_2`
            WHERE
              `lv_affected_2`.`c_custkey_2_2` IS NOT DISTINCT FROM `groups`.`domain_c_custkey`
          )
        GROUP BY
          1
    ),
    `input_old_2` as (

            select term.*, 1 as lv_ssn
        from (
          SELECT
            `orders`.`o_custkey` AS `o_custkey`,
            `old_input`.`c_custkey_2` AS `c_custkey_2`,
            `orders`.`lv_weight` * `old_input`.`lv_weight` AS `lv_weight`
          FROM `old_orders` AS `orders`, `input_rows` AS `old_input`
          WHERE
            (
              `orders`.`o_custkey` = `old_input`.`c_custkey_2`
            )
            AND EXISTS(
              SELECT
                1
              FROM `affected_2` AS `lv_affected_2`
              WHERE
                `lv_affected_2`.`c_custkey_2_2` IS NOT DISTINCT FROM `old_input`.`c_custkey_2`
            )
        ) as term


    ),
    `input_old_net_2` as (
        SELECT
          `input_old`.`o_custkey` AS `o_custkey`,
          `input_old`.`c_custkey_2` AS `c_custkey_2`,
          CAST(SUM(`input_old`.`lv_weight`) AS BIGINT) AS `lv_weight`
        FROM `input_old_2` AS `input_old`
        GROUP BY
          1,
          2
        HAVING
          SUM(`input_old`.`lv_weight`) > 0
    ),
    `groups_old_2` as (
        SELECT
          `input_old`.`c_custkey_2` AS `c_custkey_2_2`,
          COUNT(*) AS `count_1`
        FROM `input_old_net_2` AS `input_old`
        LATERAL VIEW
        EXPLODE(SEQUENCE(1, `input_old`.`lv_weight`)) lv_copies AS `lv_copy`
        GROUP BY
          1
    ),
    `right_delta` as (

            select term.*, 1 as lv_ssn
        from (
          SELECT
            `groups_new_2`.`count_1` AS `count_1_2`,
            `groups_new_2`.`c_custkey_2_2` AS `c_custkey_2_2`,
            1 AS `lv_weight`
          FROM `groups_new_2` AS `groups_new_2`
        ) as term

        union all

            select term.*, 2 as lv_ssn
        from (
          SELECT
            `groups_old_2`.`count_1` AS `count_1_2`,
            `groups_old_2`.`c_custkey_2_2` AS `c_custkey_2_2`,
            -1 AS `lv_weight`
          FROM `groups_old_2` AS `groups_old_2`
        ) as term


    ),
    `touched` as (

            select term.*, 1 as lv_ssn
        from (
          SELECT
            `groups`.`domain_c_custkey` AS `c_custkey_3`,
            1 AS `lv_weight`
          FROM `groups` AS `groups`
          WHERE
            EXISTS(
              SELECT
                1 AS `lv_found`
              FROM `right_delta` AS `right_delta`
              WHERE
                `right_delta`.`c_custkey_2_2` IS NOT DISTINCT FROM `groups`.`domain_c_custkey`
            )
        ) as term

        union all

            select term.*, 2 as lv_ssn
        from (
          SELECT
            `groups_new`.`domain_c_custkey` AS `c_custkey_3`,
            -1 AS `lv_weight`
          FROM `groups_new` AS `groups_new`
          WHERE
            EXISTS(
              SELECT
                1 AS `lv_found`
              FROM `right_delta` AS `right_delta`
              WHERE
                `right_delta`.`c_custkey_2_2` IS NOT DISTINCT FROM `groups_new`.`domain_c_custkey`
            )
        ) as term

        union all

            select term.*, 3 as lv_ssn
        from (
          SELECT
            `groups_old`.`domain_c_custkey` AS `c_custkey_3`,
            -(
              -1
            ) AS `lv_weight`
          FROM `groups_old` AS `groups_old`
          WHERE
            EXISTS(
              SELECT
                1 AS `lv_found`
              FROM `right_delta` AS `right_delta`
              WHERE
                `right_delta`.`c_custkey_2_2` IS NOT DISTINCT FROM `groups_old`.`domain_c_custkey`
            )
        ) as term


    ),
    `touched_net` as (
        SELECT
          `touched`.`c_custkey_3` AS `c_custkey_3`,
          SUM(`touched`.`lv_weight`) AS `lv_weight`
        FROM `touched` AS `touched`
        GROUP BY
          1
        HAVING
          SUM(`touched`.`lv_weight`) <> 0
    ),
    `matches` as (
        SELECT
          `touched_net`.`c_custkey_3` AS `c_custkey_3`,
          `touched_net`.`lv_weight` AS `lv_weight`,
          1 AS `lv_now`,
          0 AS `lv_change`
        FROM `touched_net` AS `touched_net`, `groups_2` AS `groups_2`
        WHERE
          `groups_2`.`c_custkey_2_2` IS NOT DISTINCT FROM `touched_net`.`c_custkey_3`
        UNION ALL
        SELECT
          `touched_net`.`c_custkey_3` AS `c_custkey_3`,
          `touched_net`.`lv_weight` AS `lv_weight`,
          0 AS `lv_now`,
          `right_delta`.`lv_weight` AS `lv_change`
        FROM `touched_net` AS `touched_net`, `right_delta` AS `right_delta`
        WHERE
          `right_delta`.`c_custkey_2_2` IS NOT DISTINCT FROM `touched_net`.`c_custkey_3`
    ),
    `match_counts` as (
        SELECT
          `matches`.`c_custkey_3` AS `c_custkey_3`,
          `matches`.`lv_weight` AS `lv_weight`,
          SUM(`matches`.`lv_now`) AS `lv_now`,
          SUM(`matches`.`lv_change`) AS `lv_change`
        FROM `matches` AS `matches`
        GROUP BY
          1,
          2
    ),
    `right_delta_2` as (

            select term.*, 1 as lv_ssn
        from (
          SELECT
            COALESCE(`outer_join_3`.`count_1_2`, 0) AS `col_0`,
            `outer_join_3`.`c_custkey_3` AS `c_custkey_3`,
            `outer_join_3`.`lv_weight` AS `lv_weight`
          FROM `outer_join_3` AS `outer_join_3`
        ) as term

        union all

            select term.*, 2 as lv_ssn
        from (
          SELECT
            COALESCE(`right_delta`.`count_1_2`, 0) AS `col_0`,
            `left_old`.`c_custkey_3` AS `c_custkey_3`,
            `right_delta`.`lv_weight` * `left_old`.`lv_weight` AS `lv_weight`
          FROM `right_delta` AS `right_delta`, `left_old` AS `left_old`
          WHERE
            `right_delta`.`c_custkey_2_2` IS NOT DISTINCT FROM `left_old`.`c_custkey_3`
        ) as term

        union all

            select term.*, 3 as lv_ssn
        from (
          SELECT
            COALESCE(NULL, 0) AS `col_0`,
            `match_counts`.`c_custkey_3` AS `c_custkey_3`,
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
    `touched_2` as (

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
              FROM `right_delta_2` AS `right_delta`
              WHERE
                `right_delta`.`c_custkey_3` IS NOT DISTINCT FROM `customers`.`c_custkey`
            )
        ) as term


    ),
    `touched_net_2` as (
        SELECT
          `touched`.`c_custkey` AS `c_custkey`,
          `touched`.`c_name` AS `c_name`,
          SUM(`touched`.`lv_weight`) AS `lv_weight`
        FROM `touched_2` AS `touched`
        GROUP BY
          1,
          2
        HAVING
          SUM(`touched`.`lv_weight`) <> 0
    ),
    `matches_2` as (
        SELECT
          `touched_net_2`.`c_custkey` AS `c_custkey`,
          `touched_net_2`.`c_name` AS `c_name`,
          `touched_net_2`.`lv_weight` AS `lv_weight`,
          1 AS `lv_now`,
          0 AS `lv_change`
        FROM `touched_net_2` AS `touched_net_2`, `outer_join` AS `outer_join`
        WHERE
          `outer_join`.`c_custkey_3` IS NOT DISTINCT FROM `touched_net_2`.`c_custkey`
        UNION ALL
        SELECT
          `touched_net_2`.`c_custkey` AS `c_custkey`,
          `touched_net_2`.`c_name` AS `c_name`,
          `touched_net_2`.`lv_weight` AS `lv_weight`,
          0 AS `lv_now`,
          `right_delta`.`lv_weight` AS `lv_change`
        FROM `touched_net_2` AS `touched_net_2`, `right_delta_2` AS `right_delta`
        WHERE
          `right_delta`.`c_custkey_3` IS NOT DISTINCT FROM `touched_net_2`.`c_custkey`
    ),
    `match_counts_2` as (
        SELECT
          `matches_2`.`c_custkey` AS `c_custkey`,
          `matches_2`.`c_name` AS `c_name`,
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
            `outer_join_2`.`c_name` AS `c_name_2`,
            `outer_join_2`.`col_0` AS `orders`,
            `outer_join_2`.`lv_weight` AS `lv_weight`
          FROM `outer_join_2` AS `outer_join_2`
        ) as term

        union all

            select term.*, 2 as lv_ssn
        from (
          SELECT
            `customers`.`c_name` AS `c_name_2`,
            `right_delta`.`col_0` AS `orders`,
            `right_delta`.`lv_weight` * `customers`.`lv_weight` AS `lv_weight`
          FROM `right_delta_2` AS `right_delta`, `old_customers` AS `customers`
          WHERE
            `right_delta`.`c_custkey_3` IS NOT DISTINCT FROM `customers`.`c_custkey`
        ) as term

        union all

            select term.*, 3 as lv_ssn
        from (
          SELECT
            `match_counts_2`.`c_name` AS `c_name_2`,
            NULL AS `orders`,
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
