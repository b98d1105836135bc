CREATE TABLE t (k UInt32, u UInt32, t DateTime, v Int64, f Float64, s String, n Nullable(Int32), l LowCardinality(String), PROJECTION daily (SELECT toDate(t), k, sum(v), count(), uniqExact(s), avg(v), min(f), max(n), quantileExact(0.5)(v), sumIf(v, u > 100), argMax(s, v) GROUP BY toDate(t), k), PROJECTION whole (SELECT sum(v), max(u)), PROJECTION by_l (SELECT l, count(n), sum(v * 2) GROUP BY l)) ENGINE = MergeTree ORDER BY u SETTINGS index_granularity = 128;
SHOW CREATE TABLE t;
SELECT name, type, sorting_key, query FROM system.projections WHERE table = 't';
INSERT INTO t SELECT number % 10, number, toDateTime('2024-01-01 00:00:00') + number * 300, number * 7919 % 1000 - 500, number % 17, toString(number % 100), if(number % 5 = 0, NULL, number), ['a', 'b', 'c'][number % 3 + 1] FROM numbers(5000);
SELECT name, rows, parent_rows FROM system.projection_parts WHERE table = 't' AND active ORDER BY name;
SELECT k, sum(v), count() FROM t GROUP BY k ORDER BY k SETTINGS force_optimize_projection_name = 'daily';
SELECT toDate(t) AS d, k, sum(v), count(), uniqExact(s), avg(v), min(f), max(n), quantileExact(0.5)(v), sumIf(v, u > 100), argMax(s, v) FROM t WHERE k < 3 AND toDate(t) < '2024-01-04' GROUP BY d, k ORDER BY d, k SETTINGS force_optimize_projection_name = 'daily';
SELECT toDate(t) AS d, count() FROM t WHERE toDate(t) = '2024-01-05' GROUP BY d SETTINGS force_optimize_projection_name = 'daily';
SELECT count() FROM t WHERE toDate(t) BETWEEN '2024-01-05' AND '2024-01-08' SETTINGS force_optimize_projection_name = 'daily';
SELECT count(), sum(v) FROM t WHERE t >= '2024-01-05 00:00:00' AND t < '2024-01-06 00:00:00';
-- Within a day the states do not tell.
-- error: INCORRECT_DATA
SELECT count(), sum(v) FROM t WHERE t >= '2024-01-05 00:00:01' AND t < '2024-01-06 00:00:00' SETTINGS force_optimize_projection_name = 'daily';
SELECT count(), sum(v) FROM t WHERE t >= '2024-01-05 00:00:01' AND t < '2024-01-06 00:00:00';
SELECT toMonth(toDate(t)) AS m, k % 2 AS odd, sum(v) + count() * 2 AS x FROM t GROUP BY m, odd HAVING x > -100000 ORDER BY odd DESC, m SETTINGS force_optimize_projection_name = 'daily';
SELECT k, avg(v) FROM t WHERE k IN (1, 3, 5) GROUP BY k ORDER BY k LIMIT 2 SETTINGS force_optimize_projection_name = 'daily';
SELECT k FROM t GROUP BY k HAVING sum(v) > 0 ORDER BY k SETTINGS force_optimize_projection_name = 'daily';
SELECT sum(v), max(u) FROM t SETTINGS force_optimize_projection_name = 'whole';
SELECT l, count(n), sum(v * 2) FROM t GROUP BY l ORDER BY l;
SELECT l, count(n) FROM t GROUP BY l ORDER BY l;
SELECT upper(l) AS x, count(n) FROM t WHERE l != 'b' GROUP BY x ORDER BY x;
SELECT k, sum(c) FROM (SELECT k, toDate(t) AS d, count() AS c FROM t GROUP BY k, d) GROUP BY k ORDER BY k LIMIT 3 SETTINGS force_optimize_projection_name = 'daily';
SELECT k, sum(v) FROM t WHERE v > 0 GROUP BY k ORDER BY k;
SELECT k, sum(f) FROM t GROUP BY k ORDER BY k;
SELECT k, sum(v) FROM t GROUP BY k ORDER BY k SETTINGS optimize_use_projections = 0;
-- error: INCORRECT_DATA
SELECT k, sum(f) FROM t GROUP BY k ORDER BY k SETTINGS force_optimize_projection_name = 'daily';
-- error: PROJECTION_NOT_USED
SELECT s, sum(f) FROM t GROUP BY s SETTINGS force_optimize_projection = 1;
INSERT INTO t SELECT number % 12, number, toDateTime('2024-01-10 00:00:00') + number * 30, number, number, toString(number), NULL, 'd' FROM numbers(2000);
SELECT k, sum(v), count(), uniqExact(s), max(n), argMax(s, v) FROM t GROUP BY k ORDER BY k SETTINGS force_optimize_projection_name = 'daily';
OPTIMIZE TABLE t FINAL;
SELECT name, rows, parent_rows FROM system.projection_parts WHERE table = 't' AND active AND name = 'daily' ORDER BY name;
SELECT k, sum(v), count(), uniqExact(s), max(n), argMax(s, v) FROM t GROUP BY k ORDER BY k SETTINGS force_optimize_projection_name = 'daily';
SELECT toDate(t) AS d, quantileExact(0.5)(v) FROM t GROUP BY d ORDER BY d LIMIT 3 SETTINGS force_optimize_projection_name = 'daily';
SELECT sum(v), max(u) FROM t SETTINGS force_optimize_projection_name = 'whole';
SELECT sum(v), max(u) FROM t WHERE k = 100;
SELECT sum(v), count(), max(n), min(f) FROM t WHERE toDate(t) = '2020-01-01';
SELECT toDate(t) AS d, k, count() FROM t WHERE d < '2024-01-02' GROUP BY GROUPING SETS ((d), (k)) ORDER BY d, k;
SELECT k, sum(v) FROM t WHERE k < 2 GROUP BY k WITH ROLLUP ORDER BY k;
SELECT k, sum(v) FROM t WHERE k < 2 GROUP BY k WITH TOTALS ORDER BY k;
-- Parts with and without.
ALTER TABLE t CLEAR PROJECTION daily SETTINGS mutations_sync = 2;
INSERT INTO t SELECT number % 10, number, toDateTime('2024-02-01 00:00:00') + number * 300, number, number, toString(number % 100), number, 'e' FROM numbers(1000);
SELECT name, parent_name, rows FROM system.projection_parts WHERE table = 't' AND active AND name = 'daily';
SELECT k, sum(v), count(), uniqExact(s), avg(v), min(f), max(n) FROM t GROUP BY k ORDER BY k;
SELECT toDate(t) AS d, count(), sum(v) FROM t WHERE d > '2024-01-30' GROUP BY d ORDER BY d SETTINGS force_optimize_projection_name = 'daily';
SELECT toDate(t) AS d, count(), sum(v) FROM t WHERE k = 3 GROUP BY d ORDER BY d LIMIT 25;
ALTER TABLE t MATERIALIZE PROJECTION daily SETTINGS mutations_sync = 2;
SELECT name, rows FROM system.projection_parts WHERE table = 't' AND active AND name = 'daily' ORDER BY rows;
SELECT k, sum(v), count(), uniqExact(s), avg(v), min(f), max(n) FROM t GROUP BY k ORDER BY k SETTINGS force_optimize_projection_name = 'daily';
