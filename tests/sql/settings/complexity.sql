-- error: TOO_MANY_TEMPORARY_COLUMNS
SELECT number + 1, number + 2, number + 3 FROM numbers(3) SETTINGS max_temporary_columns = 4;
SELECT number + 1, number + 2, number + 3 FROM numbers(3) SETTINGS max_temporary_columns = 5;
-- error: TOO_MANY_TEMPORARY_COLUMNS
SELECT number + 1 FROM numbers(3) SETTINGS max_temporary_columns = 2;
SELECT number + 1 FROM numbers(3) SETTINGS max_temporary_columns = 3;
SELECT number + 1 FROM numbers(3) SETTINGS max_temporary_non_const_columns = 1;
-- error: TOO_MANY_TEMPORARY_NON_CONST_COLUMNS
SELECT number, number + 1 FROM numbers(3) SETTINGS max_temporary_non_const_columns = 1;
SELECT number, number + 1 FROM numbers(3) SETTINGS max_temporary_non_const_columns = 2;
-- error: TOO_MANY_TEMPORARY_NON_CONST_COLUMNS
SELECT number + 1, number + 2, number + 3 FROM numbers(3) SETTINGS max_temporary_non_const_columns = 2;
SELECT number + 1, number + 2, number + 3 FROM numbers(3) SETTINGS max_temporary_non_const_columns = 3;
WITH RECURSIVE t AS (SELECT 1 AS n UNION ALL SELECT n + 1 FROM t WHERE n < 10) SELECT count() FROM t SETTINGS max_recursive_cte_evaluation_depth = 10;
-- error: TOO_DEEP_RECURSION
WITH RECURSIVE t AS (SELECT 1 AS n UNION ALL SELECT n + 1 FROM t WHERE n < 11) SELECT count() FROM t SETTINGS max_recursive_cte_evaluation_depth = 10;
-- error: TOO_DEEP_RECURSION
WITH RECURSIVE t AS (SELECT toUInt32(1) AS n UNION ALL SELECT toUInt32(n + 1) FROM t WHERE n < 2000) SELECT count() FROM t;
WITH RECURSIVE t AS (SELECT toUInt32(1) AS n UNION ALL SELECT toUInt32(n + 1) FROM t WHERE n < 2000) SELECT count() FROM t SETTINGS max_recursive_cte_evaluation_depth = 3000;
-- error: SET_SIZE_LIMIT_EXCEEDED
SELECT count() FROM (SELECT number AS a FROM numbers(100)) AS x JOIN (SELECT number AS a FROM numbers(100)) AS y USING a SETTINGS max_rows_in_join = 10;
-- error: SET_SIZE_LIMIT_EXCEEDED
SELECT count() FROM (SELECT number AS a FROM numbers(100)) AS x JOIN (SELECT number AS a FROM numbers(100)) AS y USING a SETTINGS max_bytes_in_join = 10;
-- error: TOO_MANY_ROWS_OR_BYTES
SELECT count(), max(k) FROM (SELECT number % 1000000 AS k, groupArray(number) FROM numbers(3000000) GROUP BY k) SETTINGS max_bytes_before_external_group_by = 1000000, max_bytes_ratio_before_external_group_by = 0, max_temporary_data_on_disk_size_for_query = 1000;
