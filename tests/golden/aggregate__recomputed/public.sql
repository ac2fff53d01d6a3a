SELECT
  `s`.`o_custkey_2` AS `o_custkey`,
  `s`.`lv_min_1` AS `least`,
  `s`.`lv_count_2` AS `kinds`
FROM `v__state` AS `s`
