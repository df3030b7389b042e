-- Steps that took longer than their rank's median by a factor.
-- param factor = 1.2: how many times the median
WITH medians AS (
  SELECT job, rank, source_id, process,
    CAST(percentile_disc(0.5) WITHIN GROUP (ORDER BY period_ns) AS BIGINT) AS median_ns
  FROM steps
  WHERE NOT warmup
  GROUP BY job, rank, source_id, process
)
SELECT s.job, s.rank, s.step, s.period_ns, m.median_ns,
  s.period_ns / m.median_ns AS times_median
FROM steps s
JOIN medians m ON m.source_id = s.source_id AND m.process = s.process
WHERE s.period_ns > ${factor} * m.median_ns
ORDER BY times_median DESC, s.job, s.rank, s.step
