-- A set that a subquery gives is known before the table is read, however large: EXPLAIN ESTIMATE does not run it, read_rows tells.
CREATE TABLE t (k UInt64, s String, f Float64, n Nullable(UInt32), l LowCardinality(String)) ENGINE = MergeTree ORDER BY k SETTINGS index_granularity = 100;
INSERT INTO t SELECT number, toString(number), number / 2, if(number % 3 = 0, NULL, number), toString(number % 3000) FROM numbers(100000);
SELECT count(), sum(k) FROM t WHERE k IN (SELECT number * 2 FROM numbers(30000));
SELECT count(), sum(k) FROM t WHERE k NOT IN (SELECT number * 2 FROM numbers(30000));
SELECT count(), sum(k) FROM t WHERE k IN (SELECT number * 2 FROM numbers(30000)) AND k < 100;
SELECT count() FROM t WHERE s IN (SELECT toString(number * 7) FROM numbers(5000));
SELECT count() FROM t WHERE s NOT IN (SELECT toString(number * 7) FROM numbers(5000));
SELECT count() FROM t WHERE f IN (SELECT number / 4 FROM numbers(5000));
SELECT count() FROM t WHERE n IN (SELECT number FROM numbers(2000));
SELECT count() FROM t WHERE n NOT IN (SELECT number FROM numbers(2000));
SELECT count() FROM t WHERE n IN (SELECT if(number % 2 = 0, NULL, number) FROM numbers(4000));
SELECT count() FROM t WHERE l IN (SELECT toString(number) FROM numbers(2000));
SELECT count() FROM t WHERE (k, s) IN (SELECT number, toString(number) FROM numbers(2500));
SELECT count() FROM t WHERE k IN (SELECT number FROM numbers(5000)) OR s IN (SELECT toString(number + 10000) FROM numbers(2000));
SELECT k IN (SELECT number FROM numbers(3000)) AS x, count() FROM t GROUP BY x ORDER BY x;
SELECT count() FROM t WHERE k IN (SELECT number FROM numbers(0));
SELECT count() FROM t WHERE toDate(k) IN (SELECT toDate(number) FROM numbers(1500));
SELECT 5 IN (SELECT number FROM numbers(2000)), 5000 IN (SELECT number FROM numbers(2000)), NULL IN (SELECT number FROM numbers(2000));
-- error: SET_SIZE_LIMIT_EXCEEDED
SELECT count() FROM t WHERE k IN (SELECT number FROM numbers(5000)) SETTINGS max_rows_in_set = 100;
SELECT count() FROM t WHERE k IN (SELECT number % 50 FROM numbers(5000)) SETTINGS max_rows_in_set = 100;
-- Constants of a tuple are read as what they stand beside.
CREATE TABLE c (a Int32, b Int32, s Int64) ENGINE = MergeTree ORDER BY a;
INSERT INTO c VALUES (5, 7, 5007), (6, 8, 6008);
SELECT (a, b, s) IN (('5', '7', '5007')) FROM c ORDER BY a;
SELECT a FROM c WHERE (a, b) IN (('5', 7), (6, '9')) ORDER BY a;
SELECT a FROM c WHERE (a, b) NOT IN (('5', 7), (6, '9')) ORDER BY a;
SELECT ['a'] != [], [1] = [], [] = [], [1, 2] > [], ['a'] = ['a'], [] < ['b'], [[1]] != [], [NULL] = [];
