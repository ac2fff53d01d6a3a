SELECT
  `s`.`o_custkey_2` AS `o_custkey`,
  `s`.`o_orderkey_2` AS `o_orderkey`,
  `s`.`o_price_2` AS `o_price`
FROM `v__state` AS `s`
LATERAL VIEW
EXPLODE(SEQUENCE(1, `s`.`lv_count`)) lv_copies AS `lv_copy`
