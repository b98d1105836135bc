-- What UPDATE writes apart is applied by a mutation; where it writes parts anew there is nothing to apply.
CREATE TABLE t (k UInt32, v UInt32) ENGINE = MergeTree PARTITION BY k % 2 ORDER BY k SETTINGS enable_block_number_column = 1, enable_block_offset_column = 1;
INSERT INTO t SELECT number, number FROM numbers(10);
UPDATE t SET v = v + 100 WHERE k < 3;
ALTER TABLE t APPLY PATCHES SETTINGS mutations_sync = 2;
SELECT * FROM t ORDER BY k;
UPDATE t SET v = 7 WHERE k = 5;
ALTER TABLE t APPLY PATCHES IN PARTITION 1 SETTINGS mutations_sync = 2;
SELECT * FROM t WHERE k = 5;
SELECT command, is_done FROM system.mutations WHERE database = currentDatabase() AND table = 't' AND command LIKE '%PATCHES%' ORDER BY mutation_id;
OPTIMIZE TABLE t FINAL;
SELECT sum(v) FROM t;
-- error: SYNTAX_ERROR
ALTER TABLE t APPLY NOTHING;
CREATE TABLE m (k UInt32) ENGINE = Memory;
ALTER TABLE m APPLY PATCHES;
