SELECT
  `s`.`o_custkey_2` AS `o_custkey`,
  CAST(CASE WHEN `s`.`lv_n_2` = 0 THEN NULL ELSE `s`.`lv_sum_1` END AS decimal(38,2)) AS `total`
FROM `v__state` AS `s`
ORDER BY
  CASE WHEN `s`.`lv_n_2` = 0 THEN NULL ELSE `s`.`lv_sum_1` END DESC,
  `s`.`o_custkey_2`
LIMIT 3
