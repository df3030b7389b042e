-- Kernels that are short and many: their launches cost more than they do.
-- param max_us = 5: longer ones are left out
-- param top = 20: how many
SELECT
  name,
  count(*) AS calls,
  sum(dur_ns) AS total_ns,
  sum(dur_ns) / count(*) AS mean_ns
FROM events
WHERE type = 'Kernel' AND stream IS NOT NULL AND dur_ns <= ${max_us} * 1000
GROUP BY name
ORDER BY calls DESC, name
LIMIT ${top}
