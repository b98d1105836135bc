-- settings: mutations_sync=1
CREATE TABLE t (k UInt32, p UInt8, s String, n Int64, m Int64 MATERIALIZED n * 10) ENGINE = MergeTree PARTITION BY p ORDER BY k;
INSERT INTO t (k, p, s, n) VALUES (1, 0, 'a', 1), (2, 1, '2', 2);
-- error: CANNOT_UPDATE_COLUMN
ALTER TABLE t UPDATE k = 3 WHERE 1;
-- error: CANNOT_UPDATE_COLUMN
ALTER TABLE t UPDATE p = 3 WHERE 1;
-- error: CANNOT_UPDATE_COLUMN
ALTER TABLE t UPDATE m = 3 WHERE 1;
-- error: NO_SUCH_COLUMN_IN_TABLE
ALTER TABLE t UPDATE nope = 3 WHERE 1;
-- error: UNKNOWN_IDENTIFIER
ALTER TABLE t DELETE WHERE nope = 1;
-- error: UNFINISHED
ALTER TABLE t UPDATE n = toInt64(s) WHERE 1;
SELECT is_done, latest_fail_error_code_name FROM system.mutations WHERE database = currentDatabase() AND table = 't' AND NOT is_done;
KILL MUTATION WHERE database = currentDatabase() AND table = 't' FORMAT Null;
SELECT count() FROM system.mutations WHERE database = currentDatabase() AND table = 't' AND NOT is_done AND NOT is_killed;
SELECT k, s FROM t ORDER BY k;
ALTER TABLE t UPDATE s = 'ok' WHERE k = 1;
SELECT k, s FROM t ORDER BY k;
CREATE TABLE mk (k UInt32, n UInt32, m UInt32 MATERIALIZED n + 1) ENGINE = MergeTree ORDER BY (k, m);
-- error: CANNOT_UPDATE_COLUMN
ALTER TABLE mk UPDATE n = 1 WHERE 1;
CREATE TABLE assigned (k UInt32, v UInt32) ENGINE = MergeTree ORDER BY k;
-- error: MULTIPLE_ASSIGNMENTS_TO_COLUMN
ALTER TABLE assigned UPDATE v = 1, v = 2 WHERE 1;
-- error: MULTIPLE_ASSIGNMENTS_TO_COLUMN
ALTER TABLE assigned UPDATE _row_exists = 0, _row_exists = 0 WHERE 1;
ALTER TABLE assigned UPDATE v = 1 WHERE k = 1, UPDATE v = 2 WHERE k = 2;
