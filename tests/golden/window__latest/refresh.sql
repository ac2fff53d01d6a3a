cache table `lv_staged_affected` as
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

),
`affected` as (
    SELECT DISTINCT
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

            select `o_orderkey`, `o_custkey`, `o_price`
        from `orders` version as of 7

    ),
    `window_input` as (
        SELECT
          `orders`.`o_orderkey` AS `o_orderkey`,
          `orders`.`o_custkey` AS `o_custkey`,
          `orders`.`o_price` AS `o_price`
        FROM `new_orders` AS `orders`
        WHERE
          EXISTS(
            SELECT
              1
            FROM `affected` AS `lv_affected`
            WHERE
              `lv_affected`.`lv_key_0` IS NOT DISTINCT FROM `orders`.`o_custkey`
          )
    ),
    `windowed` as (
        SELECT
          `window_input`.`o_orderkey` AS `o_orderkey`,
          `window_input`.`o_custkey` AS `o_custkey`,
          `window_input`.`o_price` AS `o_price`,
          ROW_NUMBER() OVER (
            PARTITION BY `window_input`.`o_custkey`
            ORDER BY `window_input`.`o_price` DESC, `window_input`.`o_orderkey`, `window_input`.`o_custkey`
          ) AS `window`
        FROM `window_input` AS `window_input`
    ),
    `stored` as (

            select `o_custkey_2`, `o_orderkey_2`, `o_price_2`, `lv_count`
        from  version as of 0

    ),
    `fresh_and_stored` as (
        SELECT
          `windowed`.`o_custkey` AS `o_custkey_2`,
          `windowed`.`o_orderkey` AS `o_orderkey_2`,
          `windowed`.`o_price` AS `o_price_2`,
          COUNT(*) AS `lv_count`
        FROM `windowed` AS `windowed`
        WHERE
          `windowed`.`window` = 1
        GROUP BY
          1,
          2,
          3
        UNION ALL
        SELECT
          `stored`.`o_custkey_2` AS `o_custkey_2`,
          `stored`.`o_orderkey_2` AS `o_orderkey_2`,
          `stored`.`o_price_2` AS `o_price_2`,
          -`stored`.`lv_count` AS `lv_count`
        FROM `stored` AS `stored`
        WHERE
          EXISTS(
            SELECT
              1
            FROM `affected` AS `lv_affected`
            WHERE
              `lv_affected`.`lv_key_0` IS NOT DISTINCT FROM `stored`.`o_custkey_2`
          )
    ),
    `view_change` as (
        SELECT
          `fresh_and_stored`.`o_custkey_2` AS `o_custkey_2`,
          `fresh_and_stored`.`o_orderkey_2` AS `o_orderkey_2`,
          `fresh_and_stored`.`o_price_2` AS `o_price_2`,
          SUM(`fresh_and_stored`.`lv_count`) AS `lv_count`
        FROM `fresh_and_stored` AS `fresh_and_stored`
        GROUP BY
          1,
          2,
          3
        HAVING
          SUM(`fresh_and_stored`.`lv_count`) <> 0
    )

    select * from `view_change`
) as d
on t.`o_custkey_2` <=> d.`o_custkey_2` and t.`o_orderkey_2` <=> d.`o_orderkey_2` and t.`o_price_2` <=> d.`o_price_2`
when matched and t.lv_count + d.lv_count = 0 then delete
when matched then update set
    `lv_count` = `t`.`lv_count` + COALESCE(`d`.`lv_count`, 0)
when not matched and d.lv_count <> 0 then insert (`o_custkey_2`, `o_orderkey_2`, `o_price_2`, `lv_count`)
values (d.`o_custkey_2`, d.`o_orderkey_2`, d.`o_price_2`, d.`lv_count`)
