CREATE TABLE t (k UInt32, w UInt8) ENGINE = MergeTree ORDER BY k;
INSERT INTO t VALUES (2, 1), (1, 1), (1, 0);
ALTER TABLE t ADD COLUMN o UInt8, MODIFY ORDER BY (k, o);
INSERT INTO t VALUES (1, 5, 9), (1, 6, 3), (2, 7, 0);
SHOW CREATE TABLE t;
OPTIMIZE TABLE t FINAL;
SELECT k, o FROM t WHERE k = 1 ORDER BY k, o;
SELECT sorting_key, primary_key FROM system.tables WHERE database = currentDatabase() AND name = 't';
-- error: BAD_ARGUMENTS
ALTER TABLE t MODIFY ORDER BY (k, w);
-- error: BAD_ARGUMENTS
ALTER TABLE t MODIFY ORDER BY o;
-- error: BAD_ARGUMENTS
ALTER TABLE t ADD COLUMN p UInt8 DEFAULT 1, MODIFY ORDER BY (k, o, p);
ALTER TABLE t MODIFY SETTING old_parts_lifetime = 10;
SHOW CREATE TABLE t;
ALTER TABLE t RESET SETTING old_parts_lifetime;
SHOW CREATE TABLE t;
ALTER TABLE t MODIFY ORDER BY k;
SELECT sorting_key, primary_key FROM system.tables WHERE database = currentDatabase() AND name = 't';
SELECT count(), sum(w) FROM t;
