-- A projection whose keys are computed answers queries that compute the same, whatever the optimiser makes of it.
SET force_optimize_projection = 1;
CREATE TABLE r (k UInt64, v UInt64, PROJECTION p (SELECT k % 10, sum(v), count() GROUP BY k % 10)) ENGINE = MergeTree ORDER BY v SETTINGS index_granularity = 100;
INSERT INTO r SELECT number % 50, number FROM numbers(5000);
SELECT k % 10 AS x, sum(v), count() FROM r GROUP BY x ORDER BY x;
SELECT sum(v) FROM r WHERE k % 10 = 3;
SELECT k % 10 = 3 AS is_three, sum(v) FROM r GROUP BY is_three ORDER BY is_three;
SELECT (k % 10) * 2 AS x, sum(v) FROM r WHERE k % 10 IN (1, 2) GROUP BY x ORDER BY x;
SELECT sum(v) FROM r WHERE NOT (k % 10 = 3 OR k % 10 > 5);
CREATE TABLE d (k UInt64, v UInt64, PROJECTION p (SELECT intDiv(k, 10), sum(v) GROUP BY intDiv(k, 10))) ENGINE = MergeTree ORDER BY v SETTINGS index_granularity = 100;
INSERT INTO d SELECT number % 50, number FROM numbers(5000);
SELECT intDiv(k, 10) AS x, sum(v) FROM d GROUP BY x ORDER BY x;
SELECT sum(v) FROM d WHERE intDiv(k, 10) = 2;
CREATE TABLE b (k UInt64, v UInt64, PROJECTION p (SELECT bitAnd(k, 7), sum(v) GROUP BY bitAnd(k, 7))) ENGINE = MergeTree ORDER BY v SETTINGS index_granularity = 100;
INSERT INTO b SELECT number % 50, number FROM numbers(5000);
SELECT bitAnd(k, 7) AS x, sum(v) FROM b GROUP BY x ORDER BY x;
CREATE TABLE t (s String, v UInt64, PROJECTION p (SELECT substring(s, 1, 1), sum(v) GROUP BY substring(s, 1, 1))) ENGINE = MergeTree ORDER BY v SETTINGS index_granularity = 100;
INSERT INTO t SELECT toString(number % 50), number FROM numbers(5000);
SELECT substring(s, 1, 1) AS x, sum(v) FROM t GROUP BY x ORDER BY x;
SELECT sum(v) FROM t WHERE substring(s, 1, 1) = '3';
CREATE TABLE g (k UInt64, v UInt64, PROJECTION p (SELECT greatest(k, 45), sum(v) GROUP BY greatest(k, 45))) ENGINE = MergeTree ORDER BY v SETTINGS index_granularity = 100;
INSERT INTO g SELECT number % 50, number FROM numbers(5000);
SELECT greatest(k, 45) AS x, sum(v) FROM g GROUP BY x ORDER BY x;
CREATE TABLE h (s String, v UInt64, PROJECTION p (SELECT cityHash64(s) % 16, sum(v) GROUP BY cityHash64(s) % 16)) ENGINE = MergeTree ORDER BY v SETTINGS index_granularity = 100;
INSERT INTO h SELECT toString(number % 50), number FROM numbers(5000);
SELECT cityHash64(s) % 16 AS x, sum(v) FROM h GROUP BY x ORDER BY x;
CREATE TABLE i (k UInt64, v UInt64, PROJECTION p (SELECT k IN (1, 2), sum(v) GROUP BY k IN (1, 2))) ENGINE = MergeTree ORDER BY v SETTINGS index_granularity = 100;
INSERT INTO i SELECT number % 50, number FROM numbers(5000);
SELECT k IN (1, 2) AS x, sum(v) FROM i GROUP BY x ORDER BY x;
-- Aggregates are found as they are written, too.
CREATE TABLE a (k UInt64, s String, v UInt64, PROJECTION p (SELECT k, sum(v + 1), uniqExact(s), max(v * 2) GROUP BY k)) ENGINE = MergeTree ORDER BY v SETTINGS index_granularity = 100;
INSERT INTO a SELECT number % 5, toString(number % 7), number FROM numbers(5000);
SELECT k, sum(v + 1) FROM a GROUP BY k ORDER BY k SETTINGS optimize_arithmetic_operations_in_aggregate_functions = 0;
SELECT k, max(v * 2) FROM a GROUP BY k ORDER BY k SETTINGS optimize_arithmetic_operations_in_aggregate_functions = 0;
SELECT k, sum(v + 1) FROM a GROUP BY k ORDER BY k SETTINGS force_optimize_projection = 0;
SELECT k, count(DISTINCT s) FROM a GROUP BY k ORDER BY k;
SELECT count(DISTINCT s), uniqExact(s) FROM a;
-- What no projection can tell.
-- error: PROJECTION_NOT_USED
SELECT k % 7 AS x, sum(v) FROM r GROUP BY x;
-- error: PROJECTION_NOT_USED
SELECT k % 10 AS x, max(v) FROM r GROUP BY x;
