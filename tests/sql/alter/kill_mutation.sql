CREATE TABLE t (k UInt32, v UInt32) ENGINE = MergeTree ORDER BY k;
INSERT INTO t VALUES (1, 1);
SYSTEM STOP MERGES t;
ALTER TABLE t UPDATE v = 2 WHERE 1 SETTINGS mutations_sync = 0;
KILL MUTATION WHERE database = currentDatabase() AND table = 't' FORMAT Null;
SELECT count() FROM system.mutations WHERE database = currentDatabase() AND table = 't' AND NOT is_done;
-- error: INCORRECT_QUERY
CREATE INDEX i ON t (v);
