CREATE TABLE t (k UInt64, v UInt32, s String, INDEX iv v TYPE minmax GRANULARITY 2, INDEX `is` (lower(s), v) TYPE set(100), INDEX ib s TYPE bloom_filter) ENGINE = MergeTree ORDER BY k SETTINGS index_granularity = 100;
SHOW CREATE TABLE t;
INSERT INTO t SELECT number, number * 7919 % 1000, concat('S', toString(number * 7919 % 1000)) FROM numbers(1000);
-- error: ILLEGAL_COLUMN
ALTER TABLE t ADD INDEX iv v TYPE minmax;
ALTER TABLE t ADD INDEX IF NOT EXISTS iv v TYPE minmax;
ALTER TABLE t ADD INDEX iv2 v * 2 TYPE set(0) GRANULARITY 4 FIRST, ADD INDEX iv3 v + k TYPE minmax AFTER iv;
SHOW CREATE TABLE t;
SELECT create_table_query FROM system.tables WHERE name = 't';
EXPLAIN ESTIMATE SELECT * FROM t WHERE v * 2 = 154 SETTINGS ignore_data_skipping_indices = 'is';
ALTER TABLE t MATERIALIZE INDEX iv2 SETTINGS mutations_sync = 2;
EXPLAIN ESTIMATE SELECT * FROM t WHERE v * 2 = 154 SETTINGS ignore_data_skipping_indices = 'is';
SELECT k FROM t WHERE v * 2 = 154;
ALTER TABLE t CLEAR INDEX iv2 SETTINGS mutations_sync = 2;
EXPLAIN ESTIMATE SELECT * FROM t WHERE v * 2 = 154 SETTINGS ignore_data_skipping_indices = 'is';
ALTER TABLE t MATERIALIZE INDEX iv2 IN PARTITION tuple() SETTINGS mutations_sync = 2;
EXPLAIN ESTIMATE SELECT * FROM t WHERE v * 2 = 154 SETTINGS ignore_data_skipping_indices = 'is';
ALTER TABLE t CLEAR INDEX iv2 IN PARTITION tuple() SETTINGS mutations_sync = 2;
EXPLAIN ESTIMATE SELECT * FROM t WHERE v * 2 = 154 SETTINGS ignore_data_skipping_indices = 'is';
-- error: BAD_ARGUMENTS
ALTER TABLE t DROP INDEX nope;
ALTER TABLE t DROP INDEX IF EXISTS nope;
ALTER TABLE t DROP INDEX iv3;
-- error: UNKNOWN_IDENTIFIER
ALTER TABLE t DROP COLUMN v;
ALTER TABLE t RENAME COLUMN v TO w SETTINGS mutations_sync = 2;
SHOW CREATE TABLE t;
EXPLAIN ESTIMATE SELECT * FROM t WHERE lower(s) = 's77';
SELECT k, w FROM t WHERE lower(s) = 's77';
ALTER TABLE t UPDATE s = concat(s, '!') WHERE w = 77 SETTINGS mutations_sync = 2;
SELECT k, w FROM t WHERE lower(s) = 's77';
SELECT k, w FROM t WHERE lower(s) = 's77!';
EXPLAIN ESTIMATE SELECT * FROM t WHERE s = 'S77!' SETTINGS ignore_data_skipping_indices = 'ib';
-- error: INDEX_NOT_USED
SELECT * FROM t WHERE k = 7 FORMAT Null SETTINGS force_data_skipping_indices = 'iv';
SELECT k FROM t WHERE w = 77 SETTINGS force_data_skipping_indices = 'iv, `is`';
SELECT k FROM t WHERE w = 77 SETTINGS use_skip_indexes = 0;
OPTIMIZE TABLE t FINAL;
SELECT k FROM t WHERE w = 77;
CREATE INDEX ci ON t (k % 7) TYPE set(10) GRANULARITY 3;
SELECT name, type_full, expr, creation FROM system.data_skipping_indices WHERE table = 't' ORDER BY name;
DROP INDEX ci ON t;
CREATE TABLE t2 AS t;
SHOW CREATE TABLE t2;
INSERT INTO t2 SELECT * FROM t;
SELECT k FROM t2 WHERE s = 'S78';
