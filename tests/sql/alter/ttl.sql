CREATE TABLE t (k UInt32, d DateTime, v Int32, w String DEFAULT 'x' CODEC(ZSTD(1)) TTL d + INTERVAL 1 MONTH COMMENT 'c') ENGINE = MergeTree ORDER BY k TTL d + INTERVAL 1 DAY DELETE, d + toIntervalWeek(3) DELETE WHERE v = 1, d + INTERVAL 2 DAY GROUP BY k SET v = max(v), w = any(w), d + interval 1 month RECOMPRESS CODEC(ZSTD(17));
SELECT replace(create_table_query, currentDatabase(), 'db') FROM system.tables WHERE database = currentDatabase() AND name = 't';
SELECT engine_full FROM system.tables WHERE database = currentDatabase() AND name = 't';
ALTER TABLE t REMOVE TTL;
-- error: BAD_ARGUMENTS
ALTER TABLE t REMOVE TTL;
SELECT engine_full FROM system.tables WHERE database = currentDatabase() AND name = 't';
ALTER TABLE t MODIFY COLUMN v TTL d + INTERVAL 2 DAY;
ALTER TABLE t MODIFY COLUMN w REMOVE TTL;
-- error: BAD_ARGUMENTS
ALTER TABLE t MODIFY COLUMN w REMOVE TTL;
ALTER TABLE t ADD COLUMN z Int8 TTL d + INTERVAL 3 DAY;
ALTER TABLE t RENAME COLUMN d TO dd;
SELECT replace(create_table_query, currentDatabase(), 'db') FROM system.tables WHERE database = currentDatabase() AND name = 't';
-- error: UNKNOWN_IDENTIFIER
ALTER TABLE t DROP COLUMN dd;
-- error: UNKNOWN_IDENTIFIER
ALTER TABLE t MODIFY TTL nothing;
-- error: ILLEGAL_COLUMN
ALTER TABLE t MODIFY COLUMN k TTL dd;
CREATE TABLE like_t AS t;
SELECT replace(create_table_query, currentDatabase(), 'db') FROM system.tables WHERE database = currentDatabase() AND name = 'like_t';
CREATE TABLE m (p UInt8, k UInt32, d DateTime) ENGINE = MergeTree PARTITION BY p ORDER BY k;
-- error: INCORRECT_QUERY
ALTER TABLE m MATERIALIZE TTL;
INSERT INTO m VALUES (1, 1, '2000-01-01 00:00:00'), (1, 2, '2100-01-01 00:00:00'), (2, 3, '2000-01-01 00:00:00'), (2, 4, '2100-01-01 00:00:00');
ALTER TABLE m MODIFY TTL d + INTERVAL 1 YEAR SETTINGS mutations_sync = 2, materialize_ttl_after_modify = 0;
SELECT k FROM m ORDER BY k;
ALTER TABLE m MATERIALIZE TTL IN PARTITION 2 SETTINGS mutations_sync = 2;
SELECT k FROM m ORDER BY k;
SELECT command, is_done FROM system.mutations WHERE database = currentDatabase() AND table = 'm';
CREATE TABLE n (k UInt32, d DateTime) ENGINE = MergeTree ORDER BY k;
INSERT INTO n VALUES (1, '2000-01-01 00:00:00'), (2, '2100-01-01 00:00:00');
ALTER TABLE n MODIFY TTL d SETTINGS mutations_sync = 2;
SELECT k FROM n;
-- A column that is renamed keeps what is known of the times of rows.
CREATE TABLE renamed (k UInt32, d DateTime, w String TTL d + INTERVAL 1 MONTH) ENGINE = MergeTree ORDER BY k TTL d + INTERVAL 1 DAY, d + INTERVAL 2 DAY DELETE WHERE w = 'x' SETTINGS merge_with_ttl_timeout = 0;
SYSTEM STOP TTL MERGES renamed;
INSERT INTO renamed VALUES (1, '2000-01-01 00:00:00', 'y'), (2, '2100-01-01 00:00:00', 'x');
ALTER TABLE renamed RENAME COLUMN d TO dd SETTINGS mutations_sync = 2, alter_sync = 2;
ALTER TABLE renamed RENAME COLUMN w TO ww SETTINGS mutations_sync = 2, alter_sync = 2;
SELECT rows, delete_ttl_info_min, delete_ttl_info_max, `rows_where_ttl_info.min`, `rows_where_ttl_info.max` FROM system.parts WHERE database = currentDatabase() AND table = 'renamed' AND active;
INSERT INTO renamed VALUES (3, '2101-01-01 00:00:00', 'y');
SELECT rows, delete_ttl_info_min, delete_ttl_info_max FROM system.parts WHERE database = currentDatabase() AND table = 'renamed' AND active ORDER BY rows;
OPTIMIZE TABLE renamed FINAL;
SELECT k FROM renamed ORDER BY k;
SYSTEM START TTL MERGES renamed;
OPTIMIZE TABLE renamed FINAL;
SELECT k FROM renamed ORDER BY k;
SELECT rows, delete_ttl_info_min, delete_ttl_info_max FROM system.parts WHERE database = currentDatabase() AND table = 'renamed' AND active;
