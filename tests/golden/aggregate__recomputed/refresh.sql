cache table `lv_staged_affected` as
with `delta_orders` as (

        select `o_custkey`, `o_status`, `o_price`, sum(lv_weight) as lv_weight
    from (

            select
            `o_custkey`, `o_status`, `o_price`,
            case when `_change_type` in ('insert', 'update_postimage') then 1 else -1 end as lv_weight
        from table_changes_by_path('/lake/orders', 5, 7)

    ) as changes
    group by `o_custkey`, `o_status`, `o_price`
    having sum(lv_weight) <> 0

),
`view_delta` as (

        select term.*, 1 as lv_ssn
    from (
      SELECT
        `orders`.`o_custkey` AS `o_custkey_2`,
        `orders`.`o_price` AS `lv_argument_1`,
        `orders`.`o_status` AS `lv_argument_2`,
        `orders`.`lv_weight` AS `lv_weight`
      FROM `delta_orders` AS `orders`
    ) as term


),
`affected` as (
    SELECT DISTINCT
      `view_delta`.`o_custkey_2` AS `o_custkey_2`
    FROM `view_delta` AS `view_delta`
)

select * from `affected`;

merge into `v__state` as t
using (
    with `affected` as (
        select * from `lv_staged_affected`
    ),
    `new_orders` as (

            select `o_custkey`, `o_status`, `o_price`
        from `orders` version as of 7

    ),
    `groups_new` as (
        SELECT
          `orders`.`o_custkey` AS `o_custkey_2`,
          COUNT(*) AS `lv_count`,
          MIN(`orders`.`o_price`) AS `lv_min_1`,
          COUNT(DISTINCT `orders`.`o_status`) AS `lv_count_2`
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
    `view_change` as (
        SELECT
          `k`.`o_custkey_2` AS `o_custkey_2`,
          COALESCE(`g`.`lv_count`, 0) AS `lv_count`,
          `g`.`lv_min_1` AS `lv_min_1`,
          `g`.`lv_count_2` AS `lv_count_2`
        FROM `affected` AS `k`
        LEFT JOIN `groups_new` AS `g`
          ON `g`.`o_custkey_2` IS NOT DISTINCT FROM `k`.`o_custkey_2`
    )

    select * from `view_change`
) as d
on t.`o_custkey_2` <=> d.`o_custkey_2`
when matched and d.lv_count = 0 then delete
when matched then update set
    `lv_count` = d.`lv_count`,
    `lv_min_1` = d.`lv_min_1`,
    `lv_count_2` = d.`lv_count_2`
when not matched and d.lv_count <> 0 then insert (`o_custkey_2`, `lv_count`, `lv_min_1`, `lv_count_2`)
values (d.`o_custkey_2`, d.`lv_count`, d.`lv_min_1`, d.`lv_count_2`)
