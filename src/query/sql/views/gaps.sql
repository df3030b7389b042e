-- Times in which a device had nothing to do, between its first and its last work. name: what ended the gap.
WITH work AS (
  SELECT
    job, rank, source_id, process, device, event_id, name, step, launch_id,
    start_ns,
    max(start_ns + dur_ns) OVER (
      PARTITION BY source_id, process, device
      ORDER BY start_ns, event_id
      ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING) AS idle_from_ns
  FROM events
  WHERE type IN ('Kernel', 'Memcpy', 'Memset') AND stream IS NOT NULL
)
SELECT
  e.job, e.rank, e.source_id, e.event_id, e.process, r.pid, e.device, e.name,
  e.idle_from_ns + r.clock_offset_ns
    + CAST(round((e.idle_from_ns - r.clock_center_ns) * r.clock_drift_ppm / 1e6) AS BIGINT) AS start_ns,
  e.start_ns - e.idle_from_ns AS dur_ns,
  e.idle_from_ns AS raw_start_ns,
  e.step, e.launch_id
FROM work e
JOIN ranks r ON r.source_id = e.source_id AND r.process = e.process
WHERE e.start_ns > e.idle_from_ns
