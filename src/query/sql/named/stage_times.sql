-- Device work by the stage that launched it.
SELECT
  job, rank, stage,
  count(*) AS works,
  sum(dur_ns) AS total_ns
FROM events
WHERE type IN ('Kernel', 'Memcpy', 'Memset') AND stream IS NOT NULL
GROUP BY job, rank, stage
ORDER BY job, rank, total_ns DESC, stage NULLS LAST
