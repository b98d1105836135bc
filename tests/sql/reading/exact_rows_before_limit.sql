-- settings: output_format_write_statistics=0
CREATE TABLE t (k UInt32, v UInt32) ENGINE = MergeTree ORDER BY k;
INSERT INTO t SELECT number, number % 7 FROM numbers(100000);
INSERT INTO t SELECT number, number % 5 FROM numbers(1000);
SELECT v FROM t WHERE v = 6 LIMIT 2 FORMAT JSONCompact SETTINGS exact_rows_before_limit = 1;
SELECT v, k FROM t ORDER BY v DESC, k LIMIT 2 FORMAT JSONCompact SETTINGS exact_rows_before_limit = 1;
SELECT v, count() FROM t GROUP BY v HAVING v < 3 ORDER BY v LIMIT 1 FORMAT JSONCompact SETTINGS exact_rows_before_limit = 1;
SELECT DISTINCT 'x' AS x FROM t WHERE v < 3 LIMIT 1 FORMAT JSONCompact SETTINGS exact_rows_before_limit = 1;
SELECT k FROM t LIMIT 0 FORMAT JSONCompact SETTINGS exact_rows_before_limit = 1;
SELECT k FROM (SELECT k FROM t ORDER BY k LIMIT 20) LIMIT 1 FORMAT JSONCompact SETTINGS exact_rows_before_limit = 1;
SELECT v FROM t ORDER BY v LIMIT 1 BY v LIMIT 2 FORMAT JSONCompact SETTINGS exact_rows_before_limit = 1;
SELECT number FROM numbers(1000000) WHERE number % 10 = 0 LIMIT 1 FORMAT JSONCompact SETTINGS exact_rows_before_limit = 1;
-- OFFSET alone is no limit.
SELECT k FROM t ORDER BY k, v OFFSET 100999 FORMAT JSONCompact SETTINGS exact_rows_before_limit = 1;
SELECT k FROM (SELECT k FROM t ORDER BY k, v LIMIT 20) OFFSET 19 FORMAT JSONCompact SETTINGS exact_rows_before_limit = 1;
SELECT 1 AS x WHERE 0 OFFSET 1 FORMAT JSONCompact;
