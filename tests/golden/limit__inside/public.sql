SELECT
  `s`.`c_name_2` AS `c_name`
FROM `v__state` AS `s`
LATERAL VIEW
EXPLODE(SEQUENCE(1, `s`.`lv_count`)) lv_copies AS `lv_copy`
