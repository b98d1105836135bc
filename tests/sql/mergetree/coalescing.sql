-- Of the rows of a key one is left, with the last value of each column that is not NULL.
CREATE TABLE t (k UInt8, v Nullable(UInt16), s String) ENGINE = CoalescingMergeTree ORDER BY k;
INSERT INTO t VALUES (1, 2, 'a'), (1, NULL, 'b'), (2, NULL, 'c');
SELECT * FROM t ORDER BY k;
INSERT INTO t VALUES (1, 5, '');
INSERT INTO t VALUES (2, NULL, 'd');
SELECT * FROM t FINAL ORDER BY k;
SELECT v FROM t FINAL WHERE s = 'd';
OPTIMIZE TABLE t FINAL;
SELECT * FROM t ORDER BY k;
SHOW CREATE TABLE t FORMAT TSVRaw;
CREATE TABLE c (k UInt8, v Nullable(UInt16), w Nullable(UInt8)) ENGINE = CoalescingMergeTree(v) ORDER BY k;
INSERT INTO c VALUES (1, 2, 3), (1, NULL, 4);
SELECT * FROM c;
CREATE TABLE a (k UInt8, v SimpleAggregateFunction(sum, UInt64), u AggregateFunction(uniq, UInt8), t Tuple(Nullable(UInt8), UInt8), l Array(UInt8)) ENGINE = CoalescingMergeTree ORDER BY k;
INSERT INTO a SELECT 1, 5, uniqState(toUInt8(number)), (3, 1), [1, 2] FROM numbers(2);
INSERT INTO a SELECT 1, 6, uniqState(toUInt8(number)), (4, 2), [3] FROM numbers(3);
OPTIMIZE TABLE a FINAL;
SELECT k, v, finalizeAggregation(u), t, l FROM a;
CREATE TABLE p (k UInt8, part UInt8, v Nullable(UInt16)) ENGINE = CoalescingMergeTree PARTITION BY part ORDER BY k;
INSERT INTO p VALUES (1, 1, 2), (1, 1, NULL), (1, 2, NULL);
SELECT * FROM p ORDER BY part;
-- error: NO_SUCH_COLUMN_IN_TABLE
CREATE TABLE e (k UInt8, v Nullable(UInt16)) ENGINE = CoalescingMergeTree((v, nosuch)) ORDER BY k;
-- error: BAD_ARGUMENTS
CREATE TABLE e (k UInt8, v Nullable(UInt16)) ENGINE = CoalescingMergeTree(k) ORDER BY k;
