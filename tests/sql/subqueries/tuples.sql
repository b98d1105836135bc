-- Tuples in what a subquery gives: each of their parts leaves granules out.
CREATE TABLE t (a UInt32, b UInt32, s String, n Nullable(UInt32), f Float64) ENGINE = MergeTree ORDER BY (a, b) SETTINGS index_granularity = 100;
INSERT INTO t SELECT number % 100, number, toString(number), if(number % 3 = 0, NULL, number), number / 2 FROM numbers(10000);
SELECT count(), sum(b) FROM t WHERE (a, b) IN (SELECT number % 3, number FROM numbers(10)) SETTINGS max_rows_to_read = 1000;
SELECT count(), sum(b) FROM t WHERE (a, b) IN (SELECT 5, number FROM numbers(3000)) SETTINGS max_rows_to_read = 4000;
SELECT count(), sum(b) FROM t WHERE (a, b) NOT IN (SELECT number % 3, number FROM numbers(10));
SELECT count() FROM t WHERE (s, a) IN (SELECT toString(number), number % 50 FROM numbers(5000));
SELECT count() FROM t WHERE (n, a) IN (SELECT number, number % 50 FROM numbers(5000));
SELECT count() FROM t WHERE (a, n) IN (SELECT number % 50, if(number % 2 = 0, NULL, number) FROM numbers(5000));
SELECT count() FROM t WHERE (a, f) IN (SELECT number % 50, number / 2 FROM numbers(5000));
SELECT count() FROM t WHERE (a, b) IN (SELECT number, number FROM numbers(0));
SELECT (a, b) IN (SELECT number % 3, number FROM numbers(10)) AS x, count() FROM t GROUP BY x ORDER BY x;
SELECT count() FROM t WHERE (a, 7) IN (SELECT number, 7 FROM numbers(3));
SELECT count() FROM t AS l LEFT JOIN (SELECT b AS k, a FROM t WHERE b < 100) AS r ON l.b = r.k WHERE (l.a, r.k) IN (SELECT number, number FROM numbers(10));
SELECT count() FROM t WHERE (a + 1, toString(b)) IN (SELECT number + 1, toString(number) FROM numbers(10));
SELECT count() FROM t WHERE (a, b) IN (SELECT a, max(b) FROM t GROUP BY a);
