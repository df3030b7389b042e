-- Copies and sets of memory on the device, by name.
SELECT
  type, name,
  count(*) AS calls,
  sum(dur_ns) AS total_ns,
  max(dur_ns) AS max_ns
FROM events
WHERE type IN ('Memcpy', 'Memset') AND stream IS NOT NULL
GROUP BY type, name
ORDER BY total_ns DESC, type, name
