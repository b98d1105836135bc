-- settings: max_threads=4
-- Small tables are read in the order in which they keep their rows.
CREATE TABLE t (k UInt32, s String) ENGINE = MergeTree ORDER BY k;
SYSTEM STOP MERGES t;
INSERT INTO t SELECT number * 2, toString(number) FROM numbers(6);
INSERT INTO t SELECT number * 3 + 1, toString(number) FROM numbers(6);
INSERT INTO t SELECT number + 100, toString(number) FROM numbers(6);
SELECT k FROM t LIMIT 3;
SELECT k FROM t LIMIT 3 OFFSET 5;
SELECT k * 10, s FROM t LIMIT 5, 9;
-- All rows of one part.
CREATE TABLE one (k UInt32, s String) ENGINE = MergeTree ORDER BY k SETTINGS index_granularity = 128;
INSERT INTO one SELECT number, toString(number % 3) FROM numbers(1000);
SELECT k FROM one WHERE s = '1' AND k % 50 = 0;
SELECT k + 1 AS next FROM (SELECT k, s FROM one WHERE k % 90 = 0) WHERE next > 200;
SELECT k, s FROM one LIMIT 1 BY k % 7;
SELECT arrayJoin([1, 2]) AS a, k FROM one WHERE k % 300 = 0;
SELECT row_number() OVER () AS n, k * 10 FROM one WHERE k % 250 = 0;
-- By the key, where rows are merged.
CREATE TABLE latest (k UInt32, version UInt32) ENGINE = ReplacingMergeTree(version) ORDER BY k;
SYSTEM STOP MERGES latest;
INSERT INTO latest SELECT number, 1 FROM numbers(4);
INSERT INTO latest SELECT number + 2, 2 FROM numbers(4);
SELECT * FROM latest FINAL;
SELECT * FROM latest FINAL LIMIT 3;
CREATE TABLE m (k UInt32) ENGINE = Memory;
INSERT INTO m SELECT 20 - number FROM numbers(20);
SELECT k FROM m LIMIT 4;
SELECT k FROM m WHERE k % 5 = 0;
