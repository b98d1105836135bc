-- settings: optimize_aggregation_in_order=1
CREATE TABLE t (a UInt32, at DateTime('UTC'), b String, v Int64) ENGINE = MergeTree ORDER BY (a, at, b) SETTINGS index_granularity = 50;
INSERT INTO t SELECT number % 37, toDateTime('2024-01-01 00:00:00', 'UTC') + number * 61, toString(number % 5), number FROM numbers(5000);
INSERT INTO t SELECT number % 41, toDateTime('2024-01-02 00:00:00', 'UTC') + number * 59, toString(number % 3), number FROM numbers(3000);
SELECT a, count(), sum(v), min(at), max(b) FROM t GROUP BY a ORDER BY a;
SELECT a, toStartOfHour(at) AS h, count(), sum(v) FROM t GROUP BY a, h ORDER BY a, h LIMIT 20;
SELECT a, at, uniqExact(b) FROM t GROUP BY a, at ORDER BY a DESC, at LIMIT 10;
SELECT b, a, count() FROM t GROUP BY b, a ORDER BY a, b LIMIT 10;
SELECT b, count() FROM t GROUP BY b ORDER BY b;
SELECT a, quantileExact(v), groupUniqArray(b)[1] IN ('0', '1', '2', '3', '4') FROM t WHERE v % 3 = 0 GROUP BY a HAVING count() > 40 ORDER BY a LIMIT 5;
SELECT a, count() FROM t GROUP BY a WITH TOTALS ORDER BY a LIMIT 3;
SELECT count() FROM (SELECT a, at FROM t GROUP BY a, at LIMIT 7);
SELECT count() FROM (SELECT a FROM t GROUP BY a);
CREATE TABLE d (day Date, k Int64, x UInt8) ENGINE = MergeTree PARTITION BY toYYYYMM(day) ORDER BY (day DESC, k) SETTINGS index_granularity = 50, allow_experimental_reverse_key = 1;
INSERT INTO d SELECT toDate('2024-01-01') + number % 100, number, number % 7 FROM numbers(4000);
SELECT day, count(), sum(k), max(x) FROM d GROUP BY day ORDER BY day LIMIT 5;
SELECT toStartOfMonth(day) AS m, count(), sum(k) FROM d GROUP BY m ORDER BY m;
SELECT day, x, sum(k) FROM d WHERE k % 2 = 0 GROUP BY day, x ORDER BY day DESC, x LIMIT 5;
SELECT l.a, count() FROM t AS l INNER JOIN (SELECT a, max(v) AS m FROM t GROUP BY a) AS r ON l.a = r.a WHERE l.v = r.m GROUP BY l.a ORDER BY l.a LIMIT 5;
