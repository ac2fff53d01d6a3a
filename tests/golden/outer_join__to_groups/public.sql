SELECT
  `s`.`c_custkey_2` AS `c_custkey`,
  `s`.`c_name_2` AS `c_name`,
  `s`.`n_2` AS `n`,
  `s`.`spent_2` AS `spent`
FROM `v__state` AS `s`
LATERAL VIEW
EXPLODE(SEQUENCE(1, `s`.`lv_count`)) lv_copies AS `lv_copy`
