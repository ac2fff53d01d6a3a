SELECT
  `s`.`o_status_4` AS `o_status`,
  `s`.`name_2` AS `name`,
  `s`.`value_2` AS `value`
FROM `v__state` AS `s`
LATERAL VIEW
EXPLODE(SEQUENCE(1, `s`.`lv_count`)) lv_copies AS `lv_copy`
