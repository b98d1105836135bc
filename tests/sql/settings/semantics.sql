SELECT a.x, b.x FROM (SELECT 1 AS x) AS a LEFT JOIN (SELECT 2 AS x) AS b ON a.x = b.x SETTINGS join_use_nulls = 1;
SELECT count() FROM (SELECT 1 UNION SELECT 1) SETTINGS union_default_mode = 'ALL';
SELECT count(DISTINCT number % 3) FROM numbers(10) SETTINGS count_distinct_implementation = 'uniq';
SELECT sum(number), max(number) FROM numbers(0) SETTINGS aggregate_functions_null_for_empty = 1;
SELECT NULL IN (NULL) SETTINGS transform_null_in = 1;
SELECT CAST(toNullable(1) AS Int32) AS x, toTypeName(x) SETTINGS cast_keep_nullable = 1;
SELECT number AS x, 5 AS number FROM numbers(1) SETTINGS prefer_column_name_to_alias = 1;
SELECT toDateTime('2024-01-01 00:00:00') AS t, toUnixTimestamp(t) SETTINGS session_timezone = 'Asia/Tokyo';
-- error: TIMEOUT_EXCEEDED
SELECT sum(cityHash64(number)) FROM numbers(100000000000) SETTINGS max_execution_time = 1;
-- error: MEMORY_LIMIT_EXCEEDED
-- gap: Unknown setting 'max_bytes_ratio_before_external_group_by': Maybe you meant ['max_bytes_before_exter
SELECT count() FROM (SELECT number AS k, groupArray(number) FROM numbers(5000000) GROUP BY k) SETTINGS max_memory_usage = 20000000, max_bytes_before_external_group_by = 0, max_bytes_ratio_before_external_group_by = 0;
-- error: READONLY
CREATE TABLE t (a UInt8) ENGINE = Memory SETTINGS readonly = 1;
SELECT x, x IN (1, NULL), x NOT IN (1, NULL), x IN (1), toTypeName(x IN (1)) FROM (SELECT arrayJoin([1, 2, NULL]) AS x) ORDER BY x SETTINGS transform_null_in = 1;
SELECT x, x IN (SELECT arrayJoin([1, NULL])), x NOT IN (SELECT arrayJoin([1, NULL])) FROM (SELECT arrayJoin([1, 2, NULL]) AS x) ORDER BY x SETTINGS transform_null_in = 1;
SELECT x, x IN (SELECT arrayJoin([1, 2])) FROM (SELECT arrayJoin([1, 2, NULL]) AS x) ORDER BY x SETTINGS transform_null_in = 1;
SELECT (x, 1) IN ((NULL, 1)), (x, 1) IN ((2, 1)) FROM (SELECT arrayJoin([1, 2, NULL]) AS x) ORDER BY x SETTINGS transform_null_in = 1;
SELECT (x, 1) IN (SELECT arrayJoin([1, NULL]), 1) FROM (SELECT arrayJoin([1, 2, NULL]) AS x) ORDER BY x SETTINGS transform_null_in = 1;
