SELECT
  `s`.`c_custkey_4` AS `c_custkey`
FROM `v__state` AS `s`
WHERE
  CASE WHEN `s`.`lv_n_2` = 0 THEN NULL ELSE `s`.`lv_sum_1` END > 0
  AND CASE WHEN `s`.`lv_n_4` = 0 THEN NULL ELSE `s`.`lv_sum_3` END = 0
