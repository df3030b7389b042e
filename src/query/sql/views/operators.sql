-- Operators of the framework, one row per call. Add up dur_ns and gpu_ns where outermost, self_ns of all.
SELECT
  e.job, e.rank, e.source_id, e.event_id, e.process, r.pid, e.tid,
  e.name,
  e.start_ns + r.clock_offset_ns
    + CAST(round((e.start_ns - r.clock_center_ns) * r.clock_drift_ppm / 1e6) AS BIGINT) AS start_ns,
  e.dur_ns,
  e.start_ns AS raw_start_ns,
  e.self_ns, e.gpu_ns, e.outermost, e.depth, e.parent_id, e.step, e.stage
FROM events e
JOIN ranks r ON r.source_id = e.source_id AND r.process = e.process
WHERE e.type = 'Operator' AND e.tid IS NOT NULL
