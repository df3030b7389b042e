-- The most memory that each place had in use, as the allocator counted it.
SELECT
  job, rank, place,
  max(total_allocated) AS peak_bytes,
  max(total_reserved) AS peak_reserved_bytes,
  count(*) AS changes
FROM memory
GROUP BY job, rank, place
ORDER BY job, rank, peak_bytes DESC NULLS LAST, place
