-- How the clock of each rank was laid beside the others.
SELECT job, rank, pid, host, clock_method, clock_offset_ns, clock_drift_ppm, clock_error_ns
FROM ranks
ORDER BY job, rank, pid
