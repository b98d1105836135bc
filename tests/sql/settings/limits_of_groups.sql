-- A limit of groups ends what would have no end.
-- error: TOO_MANY_ROWS
SELECT number, count() FROM system.numbers GROUP BY number SETTINGS max_rows_to_group_by = 1000, optimize_trivial_group_by_limit_query = 0;
-- error: TOO_MANY_ROWS
SELECT intDiv(number, 1000) AS k, 'x' AS x, max(number) FROM system.numbers GROUP BY k, x SETTINGS max_rows_to_group_by = 100;
-- error: TOO_MANY_ROWS
SELECT uniq(s) FROM (SELECT toString(number) AS s, count() FROM system.numbers GROUP BY s) SETTINGS max_rows_to_group_by = 10;
SELECT count() > 0 FROM (SELECT number, count() FROM system.numbers GROUP BY number) SETTINGS max_rows_to_group_by = 10, group_by_overflow_mode = 'break';
-- error: SET_SIZE_LIMIT_EXCEEDED
SELECT DISTINCT number FROM system.numbers FORMAT Null SETTINGS max_rows_in_distinct = 10;
SELECT DISTINCT number FROM system.numbers FORMAT Null SETTINGS max_rows_in_distinct = 10, distinct_overflow_mode = 'break';
-- No more groups than that: no error.
SELECT number % 5 AS k, count() FROM numbers(100000) GROUP BY k ORDER BY k SETTINGS max_rows_to_group_by = 5;
SELECT count() FROM (SELECT number % 50000 AS k, sum(number) FROM numbers(200000) GROUP BY k) SETTINGS max_rows_to_group_by = 50000;
-- Rows of the first keys are all grouped.
SELECT k, count() FROM (SELECT number % 50 AS k FROM numbers(1000)) GROUP BY k ORDER BY k LIMIT 2 SETTINGS max_rows_to_group_by = 10, group_by_overflow_mode = 'any', max_threads = 1;
