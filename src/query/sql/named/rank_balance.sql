-- What each rank computes and communicates: who has more to do than the others?
WITH work AS (
  SELECT job, rank,
    count(*) AS kernels,
    sum(dur_ns) FILTER (WHERE NOT communication) AS compute_ns,
    sum(dur_ns) FILTER (WHERE communication) AS communication_ns
  FROM events
  WHERE type = 'Kernel' AND stream IS NOT NULL
  GROUP BY job, rank
),
step_times AS (
  SELECT job, rank, count(*) AS steps, sum(period_ns) / count(*) AS step_ns
  FROM steps
  GROUP BY job, rank
),
members AS (SELECT DISTINCT job, rank FROM ranks)
SELECT m.job, m.rank,
  coalesce(s.steps, 0) AS steps, s.step_ns,
  coalesce(w.kernels, 0) AS kernels,
  coalesce(w.compute_ns, 0) AS compute_ns,
  coalesce(w.communication_ns, 0) AS communication_ns
FROM members m
LEFT JOIN step_times s ON s.job = m.job AND s.rank = m.rank
LEFT JOIN work w ON w.job = m.job AND w.rank = m.rank
ORDER BY m.job, m.rank
