-- Collectives and point-to-point transfers, one row per rank and call.
SELECT
  e.job, e.rank, e.source_id, e.event_id, e.process, r.pid, e.name, e.kind,
  e.start_ns + r.clock_offset_ns
    + CAST(round((e.start_ns - r.clock_center_ns) * r.clock_drift_ppm / 1e6) AS BIGINT) AS start_ns,
  e.dur_ns,
  e.start_ns AS raw_start_ns,
  e.step, e.group_name, e.group_size, e.sequence, e.bytes, e.source_rank,
  e.target_rank
FROM raw_collectives e
JOIN ranks r ON r.source_id = e.source_id AND r.process = e.process
