-- The data of a projection may have granules of its own size.
CREATE TABLE t (k UInt64, u UInt64, PROJECTION fine (SELECT k ORDER BY u) WITH SETTINGS (index_granularity = 10), PROJECTION sums (SELECT u % 40, sum(k) GROUP BY u % 40) WITH SETTINGS (index_granularity = 4, index_granularity_bytes = 4096)) ENGINE = MergeTree ORDER BY k SETTINGS index_granularity = 500;
SHOW CREATE TABLE t;
ALTER TABLE t ADD PROJECTION coarse (SELECT k ORDER BY u, k) WITH SETTINGS (index_granularity = 250);
SELECT create_table_query FROM system.tables WHERE name = 't';
INSERT INTO t SELECT number, number * 7919 % 1000 FROM numbers(1000);
SELECT k FROM t WHERE u = 77 SETTINGS force_optimize_projection_name = 'fine';
SELECT u % 40 AS r, sum(k) FROM t GROUP BY r ORDER BY r LIMIT 2;
OPTIMIZE TABLE t FINAL;
SELECT k FROM t WHERE u BETWEEN 77 AND 79 ORDER BY u SETTINGS force_optimize_projection_name = 'fine';
-- error: UNKNOWN_SETTING
ALTER TABLE t ADD PROJECTION p (SELECT k ORDER BY u) WITH SETTINGS (no_such_setting = 1);
-- error: BAD_ARGUMENTS
ALTER TABLE t ADD PROJECTION p (SELECT k ORDER BY u) WITH SETTINGS (index_granularity = 0);
-- A condition on the key is demanded of reads only: what counts all rows reads none.
SELECT count() FROM t SETTINGS force_primary_key = 1;
-- error: INDEX_NOT_USED
SELECT count() FROM t WHERE u = 5 SETTINGS force_primary_key = 1;
