SELECT
  `s`.`o_custkey_2_2` AS `o_custkey`,
  `s`.`o_status_2_2` AS `o_status`
FROM `v__state` AS `s`
