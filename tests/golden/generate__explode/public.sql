SELECT
  `s`.`o_orderkey_2` AS `o_orderkey`,
  `s`.`k_2` AS `k`
FROM `v__state` AS `s`
LATERAL VIEW
EXPLODE(SEQUENCE(1, `s`.`lv_count`)) lv_copies AS `lv_copy`
