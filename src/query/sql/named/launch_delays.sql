-- How long device work waits between its launch and its begin, by kernel; sorted by the wait in all.
-- param top = 20: how many
SELECT
  name,
  count(*) AS launches,
  sum(delay_ns) AS delay_total_ns,
  sum(delay_ns) / count(*) AS delay_mean_ns,
  min(delay_ns) AS delay_min_ns,
  max(delay_ns) AS delay_max_ns
FROM launches
WHERE launch_id IS NOT NULL
GROUP BY name
ORDER BY delay_total_ns DESC, name
LIMIT ${top}
