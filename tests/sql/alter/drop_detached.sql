-- What DROP DETACHED removes does not come back: it runs only where it is allowed.
CREATE TABLE t (k UInt32, p UInt8) ENGINE = MergeTree PARTITION BY p ORDER BY k;
INSERT INTO t SELECT number, number % 2 FROM numbers(4);
ALTER TABLE t DETACH PARTITION 1;
-- error: SUPPORT_IS_DISABLED
ALTER TABLE t DROP DETACHED PARTITION 1;
-- error: SUPPORT_IS_DISABLED
ALTER TABLE t DROP DETACHED PART '1_2_2_0';
SELECT count() FROM system.detached_parts WHERE database = currentDatabase() AND table = 't';
ALTER TABLE t ATTACH PARTITION 1;
SELECT count() FROM t;
ALTER TABLE t DETACH PARTITION 1;
SET allow_drop_detached = 1;
ALTER TABLE t DROP DETACHED PARTITION 1;
SELECT count() FROM system.detached_parts WHERE database = currentDatabase() AND table = 't';
-- Parts that are not there.
-- error: BAD_DATA_PART_NAME
ALTER TABLE t DROP DETACHED PART '9_9_9_0';
-- error: BAD_DATA_PART_NAME
ALTER TABLE t ATTACH PART '9_9_9_0';
-- error: NO_SUCH_DATA_PART
ALTER TABLE t DETACH PART '9_9_9_0';
ALTER TABLE t DROP DETACHED PARTITION 9;
ALTER TABLE t ATTACH PARTITION 9;
