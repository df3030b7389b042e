-- Collectives by kind, group and size.
SELECT
  job, kind, group_name, bytes,
  count(*) AS calls,
  count(DISTINCT rank) AS ranks,
  sum(dur_ns) AS total_ns,
  min(dur_ns) AS min_ns,
  max(dur_ns) AS max_ns
FROM collectives
GROUP BY job, kind, group_name, bytes
ORDER BY total_ns DESC, job, kind, group_name NULLS LAST, bytes NULLS LAST
