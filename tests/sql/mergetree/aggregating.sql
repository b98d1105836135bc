-- AggregatingMergeTree: one row a key with the aggregates of all.
CREATE TABLE t (k Int32, u AggregateFunction(uniqExact, Int32), q AggregateFunction(quantileExact(0.5), Int32), m SimpleAggregateFunction(max, Int32), l SimpleAggregateFunction(anyLast, String), g SimpleAggregateFunction(groupArrayArray, Array(Int32)), n SimpleAggregateFunction(max, Nullable(Int32)), s SimpleAggregateFunction(sum, UInt64)) ENGINE = AggregatingMergeTree ORDER BY k;
INSERT INTO t SELECT number % 2 AS k, uniqExactState(toInt32(number)), quantileExactState(0.5)(toInt32(number)), max(toInt32(number)), 'a', [toInt32(count())], NULL, sum(number) FROM numbers(10) GROUP BY k;
SELECT k, finalizeAggregation(u), finalizeAggregation(q), m, l, g, n, s FROM t ORDER BY k;
INSERT INTO t SELECT 1, uniqExactState(toInt32(number)), quantileExactState(0.5)(toInt32(number)), max(toInt32(number)), 'z', [7], 3, sum(number) FROM numbers(20);
SELECT k, uniqExactMerge(u), max(m), sum(s) FROM t GROUP BY k ORDER BY k;
SELECT k, finalizeAggregation(u), finalizeAggregation(q), m, l, g, n, s FROM t FINAL ORDER BY k;
SELECT m FROM t FINAL WHERE s > 100;
SELECT count() FROM t FINAL;
OPTIMIZE TABLE t FINAL;
SELECT k, finalizeAggregation(u), finalizeAggregation(q), m, l, g, n, s FROM t ORDER BY k;
INSERT INTO t (k) VALUES (5);
SELECT k, finalizeAggregation(u), m, l, g FROM t FINAL WHERE k = 5;

-- Rows of one block.
CREATE TABLE block (k Int32, s SimpleAggregateFunction(sum, Int64)) ENGINE = AggregatingMergeTree ORDER BY k;
INSERT INTO block VALUES (1, 1), (2, 5), (1, 2), (2, -5);
SELECT * FROM block ORDER BY k;

-- What cannot be aggregated.
-- error: BAD_ARGUMENTS
CREATE TABLE bad (k Int32, a SimpleAggregateFunction(avg, Int32)) ENGINE = AggregatingMergeTree ORDER BY k;
-- error: BAD_ARGUMENTS
CREATE TABLE bad (k Int32, a SimpleAggregateFunction(sum, Int32)) ENGINE = AggregatingMergeTree ORDER BY k;
-- error: UNKNOWN_AGGREGATE_FUNCTION
CREATE TABLE bad (k Int32, a SimpleAggregateFunction(nope, Int32)) ENGINE = AggregatingMergeTree ORDER BY k;
-- error: UNKNOWN_AGGREGATE_FUNCTION
CREATE TABLE bad (k Int32, a AggregateFunction(nope, Int32)) ENGINE = AggregatingMergeTree ORDER BY k;
-- error: BAD_ARGUMENTS
CREATE TABLE bad (k Int32, o Int32, a SimpleAggregateFunction(max, Int32)) ENGINE = AggregatingMergeTree ORDER BY k;
-- error: DATA_TYPE_CANNOT_BE_USED_IN_KEY
CREATE TABLE bad (k Int32, a AggregateFunction(uniq, Int32)) ENGINE = AggregatingMergeTree ORDER BY a;
CREATE TABLE unaggregated (k Int32, o Int32) ENGINE = AggregatingMergeTree ORDER BY k;
INSERT INTO unaggregated VALUES (1, 1), (1, 2);
SELECT * FROM unaggregated;
