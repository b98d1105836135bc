-- error: TOO_MANY_ROWS
SELECT number, count() FROM numbers(100000) GROUP BY number ORDER BY number LIMIT 1 SETTINGS max_rows_to_group_by = 10;
-- error: TOO_MANY_ROWS
SELECT count() FROM (SELECT number FROM numbers(100000) GROUP BY number) SETTINGS max_rows_to_group_by = 10;
SELECT number % 10 AS k, count() FROM numbers(1000) GROUP BY k ORDER BY k SETTINGS max_rows_to_group_by = 10;
SELECT count() FROM numbers(1000) SETTINGS max_rows_to_group_by = 1;
-- Groups that are there are whole.
SELECT count() < 100000, max(c) FROM (SELECT number % 100000 AS k, count() AS c FROM numbers(200000) GROUP BY k) SETTINGS max_rows_to_group_by = 10, group_by_overflow_mode = 'any', max_threads = 1;
-- error: TOO_MANY_ROWS_OR_BYTES
SELECT number FROM numbers(100000) ORDER BY number DESC FORMAT Null SETTINGS max_rows_to_sort = 10;
-- error: TOO_MANY_ROWS_OR_BYTES
SELECT number FROM numbers(100000) ORDER BY number DESC FORMAT Null SETTINGS max_bytes_to_sort = 10;
SELECT number FROM numbers(10) ORDER BY number DESC SETTINGS max_rows_to_sort = 10;
-- error: SET_SIZE_LIMIT_EXCEEDED
SELECT DISTINCT number FROM numbers(100000) FORMAT Null SETTINGS max_rows_in_distinct = 10;
-- error: SET_SIZE_LIMIT_EXCEEDED
SELECT DISTINCT number FROM numbers(100000) FORMAT Null SETTINGS max_bytes_in_distinct = 10;
SELECT DISTINCT number % 3 AS k FROM numbers(1000) ORDER BY k SETTINGS max_rows_in_distinct = 10;
SELECT count() < 100000 FROM (SELECT DISTINCT number FROM numbers(100000)) SETTINGS max_rows_in_distinct = 10, distinct_overflow_mode = 'break';
-- error: SET_SIZE_LIMIT_EXCEEDED
SELECT count() FROM numbers(1000) AS a JOIN numbers(1000) AS b USING number SETTINGS max_rows_in_join = 10;
-- error: SET_SIZE_LIMIT_EXCEEDED
SELECT count() FROM numbers(1000) AS a JOIN numbers(1000) AS b USING number SETTINGS max_bytes_in_join = 10;
SELECT count() FROM numbers(10) AS a JOIN numbers(10) AS b USING number SETTINGS max_rows_in_join = 10;
CREATE TABLE asof_left (k UInt32, t UInt32) ENGINE = Memory;
CREATE TABLE asof_right (k UInt32, t UInt32, v UInt32) ENGINE = Memory;
INSERT INTO asof_left SELECT number % 100, number FROM numbers(1000);
INSERT INTO asof_right SELECT number % 100, number, number FROM numbers(1000);
-- error: SET_SIZE_LIMIT_EXCEEDED
SELECT sum(v) FROM asof_left ASOF JOIN asof_right USING (k, t) SETTINGS max_rows_in_join = 10;
-- error: SET_SIZE_LIMIT_EXCEEDED
SELECT sum(v) FROM asof_left AS l ASOF LEFT JOIN asof_right AS r ON l.k = r.k AND l.t > r.t SETTINGS max_rows_in_join = 10;
-- error: SET_SIZE_LIMIT_EXCEEDED
SELECT sum(v) FROM asof_left ASOF JOIN asof_right USING (k, t) SETTINGS max_bytes_in_join = 10;
SELECT sum(v) FROM asof_left ASOF JOIN asof_right USING (k, t) SETTINGS max_rows_in_join = 1000;
SELECT count() <= 1000 FROM asof_left ASOF JOIN asof_right USING (k, t) SETTINGS max_rows_in_join = 10, join_overflow_mode = 'break';
CREATE TABLE wide (a UInt8, b UInt8, c UInt8) ENGINE = MergeTree ORDER BY a;
INSERT INTO wide VALUES (1, 2, 3);
-- error: TOO_MANY_COLUMNS
SELECT * FROM wide SETTINGS max_columns_to_read = 2;
SELECT a, b FROM wide SETTINGS max_columns_to_read = 2;
-- error: TOO_DEEP_SUBQUERIES
SELECT * FROM (SELECT * FROM (SELECT 1)) SETTINGS max_subquery_depth = 1;
SELECT * FROM (SELECT * FROM (SELECT 1)) SETTINGS max_subquery_depth = 2;
-- error: ARGUMENT_OUT_OF_BOUND
SELECT length(range(100)) SETTINGS function_range_max_elements_in_block = 10;
-- error: MEMORY_LIMIT_EXCEEDED
SELECT count() FROM numbers(20000000) AS a JOIN numbers(20000000) AS b USING number SETTINGS max_memory_usage = 100000000;
SET allow_ddl = 0;
-- error: QUERY_IS_PROHIBITED
CREATE TABLE prohibited (a UInt8) ENGINE = Memory;
-- error: QUERY_IS_PROHIBITED
DROP TABLE wide;
SELECT count() FROM wide;
