-- Every step of every rank: its time, and what the device did for it.
WITH work AS (
  SELECT source_id, process, step,
    count(*) FILTER (WHERE type = 'Kernel') AS kernels,
    sum(dur_ns) FILTER (WHERE type = 'Kernel' AND NOT communication) AS compute_ns,
    sum(dur_ns) FILTER (WHERE type = 'Kernel' AND communication) AS communication_ns,
    sum(dur_ns) FILTER (WHERE type <> 'Kernel') AS copy_ns
  FROM events
  WHERE type IN ('Kernel', 'Memcpy', 'Memset') AND stream IS NOT NULL
  GROUP BY source_id, process, step
)
SELECT s.job, s.rank, s.step, s.dur_ns, s.period_ns, s.warmup,
  coalesce(w.kernels, 0) AS kernels,
  coalesce(w.compute_ns, 0) AS compute_ns,
  coalesce(w.communication_ns, 0) AS communication_ns,
  coalesce(w.copy_ns, 0) AS copy_ns
FROM steps s
LEFT JOIN work w ON w.source_id = s.source_id AND w.process = s.process AND w.step = s.step
ORDER BY s.job, s.rank, s.raw_start_ns
