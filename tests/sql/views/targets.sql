CREATE TABLE src (id UInt32, k String, v Int64) ENGINE = MergeTree ORDER BY id;
CREATE TABLE t (k String, s Int64, extra UInt8 DEFAULT 7, twice Int64 MATERIALIZED s * 2) ENGINE = MergeTree ORDER BY k;
CREATE MATERIALIZED VIEW a TO t AS SELECT k, sum(v) AS s FROM src GROUP BY k;
-- Columns go by their names, in whatever order.
CREATE MATERIALIZED VIEW b TO t (s Int32, k String) AS SELECT toInt32(v) AS s, upper(k) AS k, 1 AS extra FROM src;
INSERT INTO src VALUES (1, 'x', 10), (2, 'x', 20);
SELECT *, twice FROM t ORDER BY ALL;
SELECT * FROM a ORDER BY ALL;
SELECT * FROM b ORDER BY ALL;
DESCRIBE TABLE b;
SELECT sum(s) FROM b WHERE k = 'X';
-- error: THERE_IS_NO_COLUMN
CREATE MATERIALIZED VIEW c TO t AS SELECT k, v AS nope FROM src;
-- error: UNKNOWN_TABLE
CREATE MATERIALIZED VIEW c TO nothere AS SELECT k FROM src;
-- error: UNKNOWN_TABLE
CREATE MATERIALIZED VIEW c ENGINE = Memory AS SELECT k FROM nothere;
-- error: QUERY_IS_NOT_SUPPORTED_IN_MATERIALIZED_VIEW
CREATE MATERIALIZED VIEW c ENGINE = Memory AS SELECT number FROM numbers(3);
-- error: UNKNOWN_IDENTIFIER
CREATE MATERIALIZED VIEW c ENGINE = Memory AS SELECT nope FROM src;
-- Statements about the rows of a view with TO are for its target.
-- error: INCORRECT_QUERY
OPTIMIZE TABLE a FINAL;
TRUNCATE TABLE a;
SELECT count() FROM t;
DROP VIEW a;
INSERT INTO src VALUES (3, 'y', 1);
SELECT k, s FROM t ORDER BY ALL;
DROP VIEW b;
SELECT count() FROM t;
-- error: INCORRECT_QUERY
DROP VIEW t;
-- An aggregating view keeps states.
CREATE TABLE states (k String, u AggregateFunction(uniqExact, UInt32), m SimpleAggregateFunction(max, Int64)) ENGINE = AggregatingMergeTree ORDER BY k;
CREATE MATERIALIZED VIEW agg TO states AS SELECT k, uniqExactState(id) AS u, max(v) AS m FROM src GROUP BY k;
INSERT INTO src SELECT number % 7, 'n', number FROM numbers(100);
INSERT INTO src SELECT number % 9, 'n', number FROM numbers(50);
SELECT k, uniqExactMerge(u), max(m) FROM states GROUP BY k;
SELECT k, uniqExactMerge(u), max(m) FROM agg GROUP BY k;
-- POPULATE begins with what is there.
CREATE MATERIALIZED VIEW all ENGINE = MergeTree ORDER BY id POPULATE AS SELECT id, v FROM src WHERE k != 'n';
SELECT * FROM all ORDER BY ALL;
INSERT INTO src VALUES (4, 'z', 4);
SELECT count() FROM all;
DROP TABLE states;
-- error: UNKNOWN_TABLE
INSERT INTO src VALUES (5, 'z', 4);
