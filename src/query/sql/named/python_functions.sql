-- Python functions by the time in themselves.
-- param top = 20: how many
SELECT
  name,
  count(*) AS calls,
  sum(self_ns) AS self_total_ns,
  sum(dur_ns) FILTER (WHERE outermost) AS total_ns
FROM events
WHERE type = 'PythonFunction'
GROUP BY name
ORDER BY self_total_ns DESC NULLS LAST, name
LIMIT ${top}
