-- Columns of keys get other types where what is kept of keys stays as it is.
CREATE TABLE l (k LowCardinality(String), v UInt8) ENGINE = MergeTree ORDER BY k SETTINGS index_granularity = 1;
INSERT INTO l SELECT toString(number), number FROM numbers(20);
SELECT v FROM l WHERE k = '5';
ALTER TABLE l MODIFY COLUMN k String;
SELECT k, v FROM l WHERE k = '5';
INSERT INTO l VALUES ('50', 50);
SELECT k, v FROM l WHERE k >= '5' AND k < '6' ORDER BY k;
ALTER TABLE l MODIFY COLUMN k LowCardinality(String);
INSERT INTO l VALUES ('51', 51);
SELECT k, v FROM l WHERE k > '50' ORDER BY k;
OPTIMIZE TABLE l FINAL;
SELECT k, v FROM l WHERE k > '50' ORDER BY k;
SELECT count(), min(k), max(k) FROM l;
CREATE TABLE t (k DateTime('UTC'), v UInt8) ENGINE = MergeTree ORDER BY k SETTINGS index_granularity = 1;
INSERT INTO t SELECT toDateTime('2024-01-01 00:00:00', 'UTC') + number * 3600, number FROM numbers(20);
ALTER TABLE t MODIFY COLUMN k DateTime('Europe/Berlin');
SELECT k, v FROM t WHERE k = '2024-01-01 05:00:00';
INSERT INTO t VALUES ('2024-01-01 05:30:00', 100);
SELECT k, v FROM t WHERE toStartOfHour(k) = '2024-01-01 05:00:00' ORDER BY k;
OPTIMIZE TABLE t FINAL;
SELECT k, v FROM t WHERE toHour(k) = 5 ORDER BY k;
CREATE TABLE e (k Enum8('a' = 1, 'b' = 2), v UInt8) ENGINE = MergeTree ORDER BY k SETTINGS index_granularity = 1;
INSERT INTO e VALUES ('b', 1), ('a', 2);
ALTER TABLE e MODIFY COLUMN k Int8;
SELECT k, v FROM e WHERE k = 2;
INSERT INTO e VALUES (-1, 3);
SELECT k, v FROM e ORDER BY k;
-- error: ALTER_OF_COLUMN_IS_FORBIDDEN
ALTER TABLE e MODIFY COLUMN k UInt8;
CREATE TABLE p (k LowCardinality(String), v UInt8) ENGINE = MergeTree PARTITION BY k ORDER BY v;
INSERT INTO p VALUES ('a', 1), ('b', 2);
ALTER TABLE p MODIFY COLUMN k String;
INSERT INTO p VALUES ('a', 3);
SELECT count(), uniqExact(_partition_id) FROM p;
SELECT v FROM p WHERE k = 'a' ORDER BY v;
OPTIMIZE TABLE p FINAL;
ALTER TABLE p DROP PARTITION 'a';
SELECT k, v FROM p;
-- error: ALTER_OF_COLUMN_IS_FORBIDDEN
ALTER TABLE p MODIFY COLUMN k FixedString(1);
-- The version of rows.
CREATE TABLE r (k UInt32, version Int8, v String) ENGINE = ReplacingMergeTree(version) ORDER BY k;
INSERT INTO r VALUES (1, 1, 'old'), (2, -2, 'only');
ALTER TABLE r MODIFY COLUMN version Int16;
INSERT INTO r VALUES (1, 300, 'new'), (2, -300, 'older');
SELECT * FROM r FINAL ORDER BY k;
OPTIMIZE TABLE r FINAL;
SELECT * FROM r ORDER BY k;
-- error: ALTER_OF_COLUMN_IS_FORBIDDEN
ALTER TABLE r MODIFY COLUMN version Int8;
-- error: ALTER_OF_COLUMN_IS_FORBIDDEN
ALTER TABLE r MODIFY COLUMN version UInt64;
-- error: ALTER_OF_COLUMN_IS_FORBIDDEN
ALTER TABLE r MODIFY COLUMN version String;
CREATE TABLE c (k Int32, sign Int8) ENGINE = CollapsingMergeTree(sign) ORDER BY k;
-- error: ALTER_OF_COLUMN_IS_FORBIDDEN
ALTER TABLE c MODIFY COLUMN sign Int16;
-- error: ALTER_OF_COLUMN_IS_FORBIDDEN
ALTER TABLE c MODIFY COLUMN k UInt32;
CREATE TABLE f (k LowCardinality(String), v UInt8) ENGINE = MergeTree ORDER BY upper(k);
-- error: ALTER_OF_COLUMN_IS_FORBIDDEN
ALTER TABLE f MODIFY COLUMN k String;
