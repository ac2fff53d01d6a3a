cache table `lv_staged_affected` as
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

),
`delta_orders` as (

        select `o_custkey`, `o_price`, sum(lv_weight) as lv_weight
    from (

            select
            `o_custkey`, `o_price`,
            case when `_change_type` in ('insert', 'update_postimage') then 1 else -1 end as lv_weight
        from table_changes_by_path('/lake/orders', 5, 7)

    ) as changes
    group by `o_custkey`, `o_price`
    having sum(lv_weight) <> 0

),
`affected` as (
    SELECT
      `customers`.`c_custkey` AS `lv_key_0`
    FROM `delta_customers` AS `customers`
    UNION
    SELECT
      `orders`.`o_custkey` AS `lv_key_0`
    FROM `delta_orders` AS `orders`
)

select * from `affected`;

merge into `v__state` as t
using (
    with `affected` as (
        select * from `lv_staged_affected`
    ),
    `new_orders` as (

            select `o_custkey`, `o_price`
        from `orders` version as of 7

    ),
    `groups_new` as (
        SELECT
          `orders`.`o_custkey` AS `o_custkey_2`,
          COUNT(*) AS `count_1`,
          SUM(`orders`.`o_price`) AS `sum_2`
        FROM `new_orders` AS `orders`
        WHERE
          EXISTS(
            SELECT
              1
            FROM `affected` AS `lv_affected`
            WHERE
              `lv_affected`.`lv_key_0` IS NOT DISTINCT FROM `orders`.`o_custkey`
          )
        GROUP BY
          1
    ),
    `new_customers` as (

            select `c_custkey`, `c_name`
        from `customers` version as of 7

    ),
    `left_rows` as (
        SELECT
          `customers`.`c_custkey` AS `c_custkey`,
          `customers`.`c_name` AS `c_name`
        FROM `new_customers` AS `customers`
        WHERE
          EXISTS(
            SELECT
              1
            FROM `affected` AS `lv_affected`
            WHERE
              `lv_affected`.`lv_key_0` IS NOT DISTINCT FROM `customers`.`c_custkey`
          )
    ),
    `right_rows` as (
        SELECT
          `groups_new`.`o_custkey_2` AS `o_custkey_3`,
          `groups_new`.`count_1` AS `n`,
          `groups_new`.`sum_2` AS `spent`
        FROM `groups_new` AS `groups_new`
    ),
    `outer_join` as (
        SELECT
          `left_rows`.`c_custkey` AS `c_custkey`,
          `left_rows`.`c_name` AS `c_name`,
          `right_rows`.`o_custkey_3` AS `o_custkey_3`,
          `right_rows`.`n` AS `n`,
          `right_rows`.`spent` AS `spent`
        FROM `left_rows` AS `left_rows`
        LEFT JOIN `right_rows` AS `right_rows`
          ON `right_rows`.`o_custkey_3` = `left_rows`.`c_custkey`
    ),
    `stored` as (

            select `c_custkey_2`, `c_name_2`, `n_2`, `spent_2`, `lv_count`
        from  version as of 0

    ),
    `fresh_and_stored` as (
        SELECT
          `outer_join`.`c_custkey` AS `c_custkey_2`,
          `outer_join`.`c_name` AS `c_name_2`,
          `outer_join`.`n` AS `n_2`,
          `outer_join`.`spent` AS `spent_2`,
          COUNT(*) AS `lv_count`
        FROM `outer_join` AS `outer_join`
        GROUP BY
          1,
          2,
          3,
          4
        UNION ALL
        SELECT
          `stored`.`c_custkey_2` AS `c_custkey_2`,
          `stored`.`c_name_2` AS `c_name_2`,
          `stored`.`n_2` AS `n_2`,
          `stored`.`spent_2` AS `spent_2`,
          -`stored`.`lv_count` AS `lv_count`
        FROM `stored` AS `stored`
        WHERE
          EXISTS(
            SELECT
              1
            FROM `affected` AS `lv_affected`
            WHERE
              `lv_affected`.`lv_key_0` IS NOT DISTINCT FROM `stored`.`c_custkey_2`
          )
    ),
    `view_change` as (
        SELECT
          `fresh_and_stored`.`c_custkey_2` AS `c_custkey_2`,
          `fresh_and_stored`.`c_name_2` AS `c_name_2`,
          `fresh_and_stored`.`n_2` AS `n_2`,
          `fresh_and_stored`.`spent_2` AS `spent_2`,
          SUM(`fresh_and_stored`.`lv_count`) AS `lv_count`
        FROM `fresh_and_stored` AS `fresh_and_stored`
        GROUP BY
          1,
          2,
          3,
          4
        HAVING
          SUM(`fresh_and_stored`.`lv_count`) <> 0
    )

    select * from `view_change`
) as d
on t.`c_custkey_2` <=> d.`c_custkey_2` and t.`c_name_2` <=> d.`c_name_2` and t.`n_2` <=> d.`n_2` and t.`spent_2` <=> d.`spent_2`
when matched and t.lv_count + d.lv_count = 0 then delete
when matched then update set
    `lv_count` = `t`.`lv_count` + COALESCE(`d`.`lv_count`, 0)
when not matched and d.lv_count <> 0 then insert (`c_custkey_2`, `c_name_2`, `n_2`, `spent_2`, `lv_count`)
values (d.`c_custkey_2`, d.`c_name_2`, d.`n_2`, d.`spent_2`, d.`lv_count`)
