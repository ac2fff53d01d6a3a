SELECT
  `s`.`c_nation_2` AS `c_nation`,
  `s`.`lv_count` AS `orders`,
  CAST(CASE WHEN `s`.`lv_n_2` = 0 THEN NULL ELSE `s`.`lv_sum_1` END AS decimal(38,2)) AS `revenue`
FROM `v__state` AS `s`
