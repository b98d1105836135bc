-- A projection with `_part_offset` is an index of the table: it keeps where rows are, and changes no answer.
SET min_table_rows_to_use_projection_index = 0;
CREATE TABLE t (k UInt64, u UInt64, s String, PROJECTION by_u (SELECT _part_offset ORDER BY u), PROJECTION by_s INDEX lower(s) TYPE basic) ENGINE = MergeTree ORDER BY k SETTINGS index_granularity = 64;
SHOW CREATE TABLE t;
SELECT name, type, sorting_key, query FROM system.projections WHERE table = 't' ORDER BY name;
INSERT INTO t SELECT number, number * 7919 % 5000, concat('S', toString(number * 7919 % 500)) FROM numbers(4000);
INSERT INTO t SELECT number, number * 7919 % 5000, concat('S', toString(number * 7919 % 500)) FROM numbers(4000, 1000);
SELECT name, sum(rows) FROM system.projection_parts WHERE table = 't' AND active GROUP BY name ORDER BY name;
SELECT * FROM t WHERE u = 77;
SELECT * FROM t WHERE u BETWEEN 10 AND 14 AND k % 2 = 0 ORDER BY u;
SELECT k FROM t WHERE lower(s) = 's77' AND u < 600 ORDER BY k;
SELECT k, _part_offset FROM t WHERE u IN (1, 2, 3, 4999) ORDER BY k LIMIT 3;
SELECT count(), sum(k) FROM t WHERE u < 3000;
OPTIMIZE TABLE t FINAL;
SELECT * FROM t WHERE u = 77;
ALTER TABLE t UPDATE u = 77 WHERE k < 3 SETTINGS mutations_sync = 2;
ALTER TABLE t DELETE WHERE k = 1 SETTINGS mutations_sync = 2;
SELECT k FROM t WHERE u = 77 ORDER BY k;
ALTER TABLE t ADD PROJECTION more INDEX (u, k) TYPE basic;
ALTER TABLE t MATERIALIZE PROJECTION more SETTINGS mutations_sync = 2;
SELECT name, rows FROM system.projection_parts WHERE table = 't' AND active ORDER BY name;
SELECT k FROM t WHERE u = 77 AND k > 1 ORDER BY k;
ALTER TABLE t ADD PROJECTION with_columns (SELECT k, _part_offset AS place ORDER BY s);
-- error: UNKNOWN_IDENTIFIER
ALTER TABLE t DROP COLUMN u;
-- error: INCORRECT_QUERY
ALTER TABLE t ADD PROJECTION other INDEX u TYPE nothing;
-- error: SYNTAX_ERROR
ALTER TABLE t ADD PROJECTION other INDEX u;
-- error: BAD_ARGUMENTS
ALTER TABLE t ADD PROJECTION other (SELECT _part_offset);
