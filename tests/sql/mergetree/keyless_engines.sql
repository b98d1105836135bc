-- Engines that fold rows of one sorting key into one fold none where there is no key.
CREATE TABLE s (l String, x UInt64) ENGINE = SummingMergeTree ORDER BY tuple();
INSERT INTO s VALUES ('a', 1), ('b', 3);
INSERT INTO s VALUES ('c', 9);
SELECT * FROM s FINAL ORDER BY l;
OPTIMIZE TABLE s FINAL;
SELECT * FROM s ORDER BY l;
CREATE TABLE c (l String, x Nullable(UInt64)) ENGINE = CoalescingMergeTree ORDER BY tuple();
INSERT INTO c VALUES ('a', 1), ('b', NULL);
SELECT * FROM c ORDER BY l;
CREATE TABLE words (w String) ENGINE = MergeTree ORDER BY w;
INSERT INTO words VALUES ('a'), ('bbb'), ('ab');
CREATE MATERIALIZED VIEW lengths ENGINE = AggregatingMergeTree ORDER BY tuple() POPULATE AS SELECT substring(w, 1, 1) AS letter, max(length(w)) AS longest FROM words GROUP BY letter;
SELECT * FROM lengths ORDER BY letter;
CREATE TABLE a (m SimpleAggregateFunction(min, UInt64), s AggregateFunction(sum, UInt64)) ENGINE = AggregatingMergeTree ORDER BY tuple();
INSERT INTO a SELECT number, sumState(number) FROM numbers(3) GROUP BY number;
OPTIMIZE TABLE a FINAL;
SELECT m, finalizeAggregation(s) FROM a ORDER BY m;
-- The last of all rows is what one that replaces keeps.
CREATE TABLE r (l String, x UInt64) ENGINE = ReplacingMergeTree ORDER BY tuple();
INSERT INTO r VALUES ('a', 1), ('b', 3);
SELECT * FROM r;
-- Keys of nested maps may be words of a dictionary.
CREATE TABLE sums (key LowCardinality(String), total UInt64, sumsMap Nested(key LowCardinality(String), sum UInt64)) ENGINE = SummingMergeTree ORDER BY key;
INSERT INTO sums (key, total, sumsMap.key, sumsMap.sum) VALUES ('k', 3, ['a', 'b'], [1, 2]);
INSERT INTO sums (key, total, sumsMap.key, sumsMap.sum) VALUES ('k', 7, ['b', 'c'], [3, 4]);
SELECT * FROM sums FINAL;
CREATE TABLE like_sums EMPTY AS sums;
SELECT count() FROM like_sums;
