-- Calls in which the host waits for the device.
SELECT
  name,
  count(*) AS calls,
  sum(dur_ns) AS total_ns,
  max(dur_ns) AS max_ns
FROM events
WHERE tid IS NOT NULL
  AND type IN ('CudaRuntime', 'Synchronization')
  AND (name LIKE '%Synchronize%' OR name LIKE '%StreamWait%')
GROUP BY name
ORDER BY total_ns DESC, name
