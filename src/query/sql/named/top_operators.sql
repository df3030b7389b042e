-- Operators that take the most time on the host, with the device time that they launched.
-- param top = 20: how many
SELECT
  name,
  count(*) FILTER (WHERE outermost) AS calls,
  sum(dur_ns) FILTER (WHERE outermost) AS cpu_total_ns,
  sum(self_ns) AS cpu_self_ns,
  sum(gpu_ns) FILTER (WHERE outermost) AS gpu_total_ns
FROM events
WHERE type = 'Operator' AND tid IS NOT NULL
GROUP BY name
ORDER BY cpu_total_ns DESC NULLS LAST, name
LIMIT ${top}
