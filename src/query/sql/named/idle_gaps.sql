-- Where a device was idle, by the work that ended the gap.
-- param min_us = 10: gaps that are shorter are left out
-- param top = 20: how many
SELECT
  name AS ended_by,
  count(*) AS gaps,
  sum(dur_ns) AS idle_ns,
  max(dur_ns) AS longest_ns
FROM gaps
WHERE dur_ns >= ${min_us} * 1000
GROUP BY name
ORDER BY idle_ns DESC, name
LIMIT ${top}
