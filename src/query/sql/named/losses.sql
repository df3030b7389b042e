-- What became of every record of the sources: kept, repaired or rejected, and why.
SELECT l.job, l.rank, r.source, l.outcome, l.reason, l.records
FROM ledger l
JOIN (SELECT DISTINCT source_id, source FROM ranks) r ON r.source_id = l.source_id
ORDER BY l.job, l.rank, r.source, l.outcome, l.reason
