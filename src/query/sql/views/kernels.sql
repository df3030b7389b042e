-- Kernels that ran on a device, one row each. Times are on the clock of the job; raw_start_ns is as recorded.
SELECT
  e.job, e.rank, e.source_id, e.event_id, e.process, r.pid, e.device, e.stream,
  e.name,
  e.start_ns + r.clock_offset_ns
    + CAST(round((e.start_ns - r.clock_center_ns) * r.clock_drift_ppm / 1e6) AS BIGINT) AS start_ns,
  e.dur_ns,
  e.start_ns AS raw_start_ns,
  e.communication, e.step, e.stage, e.launch_id, e.operator_id
FROM events e
JOIN ranks r ON r.source_id = e.source_id AND r.process = e.process
WHERE e.type = 'Kernel' AND e.stream IS NOT NULL
