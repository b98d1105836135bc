-- SummingMergeTree: one row a key with the sums of its numbers.
CREATE TABLE t (k Int32, a UInt8, b Nullable(Int32), f Float64, d Decimal(9, 2), s String, bo Bool, dt Date, ar Array(Int32), w Int128) ENGINE = SummingMergeTree ORDER BY k;
INSERT INTO t VALUES (1, 200, NULL, 1.5, 1.25, 'x', true, '2020-01-01', [1], 5), (1, 100, 5, -1.5, 1.25, 'y', true, '2020-01-02', [2], -6);
SELECT * FROM t;
INSERT INTO t VALUES (2, 0, NULL, 0, 0, 'zero', false, '2020-01-01', [1], 0);
SELECT k FROM t ORDER BY k;
INSERT INTO t VALUES (3, 0, 0, 0, 0, 'a zero that is not NULL', false, '2020-01-01', [1], 0);
SELECT k FROM t ORDER BY k;
INSERT INTO t VALUES (1, 1, 1, 1, 1, 'later', false, '2021-01-01', [3], 1);
SELECT * FROM t FINAL ORDER BY k;
SELECT k FROM t FINAL WHERE a = 45;
OPTIMIZE TABLE t FINAL;
SELECT * FROM t ORDER BY k;

-- Chosen columns.
CREATE TABLE chosen (k Int32, a Int32, b Int32, s String) ENGINE = SummingMergeTree((a, b)) ORDER BY k;
INSERT INTO chosen VALUES (1, 1, -1, 'x'), (1, -1, 1, 'y'), (2, 1, 5, 'm'), (2, 3, 6, 'n');
SELECT * FROM chosen ORDER BY k;
CREATE TABLE single (k Int32, a Int32, b Int32) ENGINE = SummingMergeTree(a) ORDER BY k;
INSERT INTO single VALUES (1, 1, 1), (1, 2, 2);
SELECT * FROM single FINAL;
CREATE TABLE nothing (k Int32, s String) ENGINE = SummingMergeTree ORDER BY k;
INSERT INTO nothing VALUES (1, 'x'), (1, 'y');
SELECT * FROM nothing;

-- Rows that add up to zero go, wherever they lie.
CREATE TABLE zeroes (k Int32, a Int32, b Int32) ENGINE = SummingMergeTree ORDER BY k;
INSERT INTO zeroes VALUES (1, 5, 0), (2, 5, 1);
INSERT INTO zeroes VALUES (1, -5, 0), (2, -5, 0);
SELECT * FROM zeroes FINAL;
SELECT k FROM zeroes FINAL WHERE a + b >= 0;
OPTIMIZE TABLE zeroes FINAL;
SELECT * FROM zeroes;

-- Columns of keys are not summed, also those that an expression uses.
CREATE TABLE keys (k Int32, p UInt8, a UInt8) ENGINE = SummingMergeTree ORDER BY intDiv(k, 10) PARTITION BY intDiv(p, 10);
INSERT INTO keys VALUES (1, 1, 1), (2, 2, 2), (3, 15, 5), (11, 1, 7);
SELECT * FROM keys ORDER BY ALL;

-- Maps of nested columns.
CREATE TABLE maps (k Int32, `m.id` Array(UInt32), `m.v` Array(UInt64), `xMap.id` Array(UInt32), `xMap.v` Array(UInt64), `xMap.w` Array(Float64)) ENGINE = SummingMergeTree ORDER BY k;
INSERT INTO maps VALUES (1, [1], [1], [2, 1], [20, 10], [1, 1]), (1, [2], [2], [3, 2], [5, 5], [2, -1]);
SELECT * FROM maps;
INSERT INTO maps VALUES (1, [1], [1], [2, 1], [-25, -10], [0, -1]);
SELECT * FROM maps FINAL;
SELECT `xMap.id`, `xMap.v`, `xMap.w` FROM maps FINAL;
INSERT INTO maps VALUES (2, [1], [1], [], [], []), (2, [1], [1], [], [], []);
SELECT * FROM maps FINAL ORDER BY k;
OPTIMIZE TABLE maps FINAL;
SELECT * FROM maps ORDER BY k;
CREATE TABLE keyed (k Int32, `xMap.id` Array(UInt32), `xMap.aKey` Array(String), `xMap.v` Array(UInt64)) ENGINE = SummingMergeTree ORDER BY k;
INSERT INTO keyed VALUES (1, [1, 1], ['b', 'a'], [1, 2]), (1, [1], ['b'], [5]), (2, [2, 1], ['b', 'a'], [0, 0]);
SELECT * FROM keyed ORDER BY k;

-- Aggregates are merged, and keep a row whatever the sums are.
CREATE TABLE mixed (k Int32, a Int32, m SimpleAggregateFunction(max, Int32), av AggregateFunction(avg, Int32)) ENGINE = SummingMergeTree ORDER BY k;
INSERT INTO mixed SELECT 1, number - 1, number, avgState(toInt32(number)) FROM numbers(3) GROUP BY number;
SELECT k, a, m, finalizeAggregation(av) FROM mixed FINAL;
