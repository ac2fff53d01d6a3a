SELECT
  `s`.`c_nation_2` AS `c_nation`,
  `s`.`lv_count` AS `orders`,
  CAST(CASE WHEN `s`.`lv_n_2` = 0 THEN NULL ELSE `s`.`lv_sum_1` END AS decimal(38,2)) AS `revenue`,
  CAST(CASE
    WHEN `s`.`lv_n_2` = 0
    THEN NULL
    ELSE CAST(`s`.`lv_sum_1` / `s`.`lv_n_2` AS DECIMAL(16, 6))
  END AS double) AS `mean`
FROM `v__state` AS `s`
WHERE
  (
    `s`.`lv_count` > 1
  )
