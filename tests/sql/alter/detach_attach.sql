CREATE TABLE t (k UInt32, p UInt8) ENGINE = MergeTree PARTITION BY p ORDER BY k;
INSERT INTO t SELECT number, number % 3 FROM numbers(9);
ALTER TABLE t DETACH PARTITION 1;
SELECT count(), sum(k) FROM t;
SELECT partition_id, name, min_block_number, level FROM system.detached_parts WHERE database = currentDatabase() AND table = 't';
ALTER TABLE t ATTACH PARTITION 1;
SELECT count(), sum(k) FROM t;
SELECT count() FROM system.detached_parts WHERE database = currentDatabase() AND table = 't';
ALTER TABLE t DROP PART '0_1_1_0';
SELECT p, count() FROM t GROUP BY p ORDER BY p;
-- error: NO_SUCH_DATA_PART
ALTER TABLE t DROP PART '7_1_1_0';
ALTER TABLE t DETACH PARTITION ID '2';
ALTER TABLE t DROP DETACHED PARTITION 2 SETTINGS allow_drop_detached = 1;
ALTER TABLE t ATTACH PARTITION 2;
SELECT p, count() FROM t GROUP BY p ORDER BY p;
DETACH TABLE t;
-- error: UNKNOWN_TABLE
SELECT count() FROM t;
ATTACH TABLE t;
SELECT p, count() FROM t GROUP BY p ORDER BY p;
