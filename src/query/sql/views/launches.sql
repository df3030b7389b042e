-- Device work with the call that launched it; delay_ns is from the begin of the call to the begin of the work.
SELECT
  e.job, e.rank, e.source_id, e.event_id, e.process, r.pid, e.device, e.stream,
  e.name, e.type,
  e.start_ns + r.clock_offset_ns
    + CAST(round((e.start_ns - r.clock_center_ns) * r.clock_drift_ppm / 1e6) AS BIGINT) AS start_ns,
  e.dur_ns,
  e.start_ns AS raw_start_ns,
  e.launch_id, e.operator_id, e.step, e.stage,
  c.name AS call_name, c.tid AS call_tid, c.dur_ns AS call_dur_ns,
  e.start_ns - c.start_ns AS delay_ns
FROM events e
JOIN ranks r ON r.source_id = e.source_id AND r.process = e.process
LEFT JOIN events c ON c.source_id = e.source_id AND c.event_id = e.launch_id
WHERE e.type IN ('Kernel', 'Memcpy', 'Memset') AND e.stream IS NOT NULL
