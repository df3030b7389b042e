-- Kernels that take the most device time.
-- param top = 20: how many
SELECT
  name,
  count(*) AS calls,
  sum(dur_ns) AS total_ns,
  sum(dur_ns) / count(*) AS mean_ns,
  max(dur_ns) AS max_ns,
  sum(dur_ns) / sum(sum(dur_ns)) OVER () AS share
FROM events
WHERE type = 'Kernel' AND stream IS NOT NULL
GROUP BY name
ORDER BY total_ns DESC, name
LIMIT ${top}
