-- Steps of training or inference, one row per rank and step.
SELECT
  e.job, e.rank, e.source_id, e.event_id, e.process, r.pid, e.tid, e.step,
  concat('step ', e.step) AS name,
  e.start_ns + r.clock_offset_ns
    + CAST(round((e.start_ns - r.clock_center_ns) * r.clock_drift_ppm / 1e6) AS BIGINT) AS start_ns,
  e.dur_ns,
  e.start_ns AS raw_start_ns,
  e.period_ns, e.device_dur_ns, e.gpu_ns, e.warmup
FROM raw_steps e
JOIN ranks r ON r.source_id = e.source_id AND r.process = e.process
