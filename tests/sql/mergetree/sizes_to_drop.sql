CREATE TABLE t (k UInt32, p UInt8) ENGINE = MergeTree ORDER BY k PARTITION BY p;
INSERT INTO t SELECT number, number % 2 FROM numbers(100);
CREATE TABLE u AS t;
INSERT INTO u SELECT number, number % 2 FROM numbers(100);
SET max_table_size_to_drop = 1, max_partition_size_to_drop = 1;
-- error: TABLE_SIZE_EXCEEDS_MAX_DROP_SIZE_LIMIT
DROP TABLE t;
-- error: TABLE_SIZE_EXCEEDS_MAX_DROP_SIZE_LIMIT
DROP TABLE IF EXISTS t SYNC;
-- error: TABLE_SIZE_EXCEEDS_MAX_DROP_SIZE_LIMIT
TRUNCATE TABLE t;
-- error: TABLE_SIZE_EXCEEDS_MAX_DROP_SIZE_LIMIT
CREATE OR REPLACE TABLE t (z Int8) ENGINE = MergeTree ORDER BY z;
-- error: TABLE_SIZE_EXCEEDS_MAX_DROP_SIZE_LIMIT
ALTER TABLE t DROP PARTITION 0;
-- error: TABLE_SIZE_EXCEEDS_MAX_DROP_SIZE_LIMIT
ALTER TABLE t DROP PARTITION ALL;
-- error: TABLE_SIZE_EXCEEDS_MAX_DROP_SIZE_LIMIT
ALTER TABLE t DETACH PARTITION 0;
-- error: TABLE_SIZE_EXCEEDS_MAX_DROP_SIZE_LIMIT
ALTER TABLE t REPLACE PARTITION 0 FROM u;
-- Nothing goes that was there.
ALTER TABLE t ATTACH PARTITION 0 FROM u;
ALTER TABLE t DROP PARTITION 7;
SELECT count() FROM t;
-- Each setting is for its own.
ALTER TABLE t DROP PARTITION 0 SETTINGS max_partition_size_to_drop = 0;
SELECT count() FROM t;
-- A partition that is moved is not lost.
ALTER TABLE t MOVE PARTITION 1 TO TABLE u;
-- The size is compared, not the rows.
DROP TABLE t SETTINGS max_table_size_to_drop = 1000;
-- error: TABLE_SIZE_EXCEEDS_MAX_DROP_SIZE_LIMIT
DROP TABLE u SETTINGS max_table_size_to_drop = 10;
SELECT count() FROM u;
TRUNCATE TABLE u SETTINGS max_table_size_to_drop = 1000000;
CREATE TABLE m (k UInt32) ENGINE = Memory;
INSERT INTO m SELECT number FROM numbers(100);
TRUNCATE TABLE m;
DROP TABLE m;
-- A view has the size of its own table, and none with the table of another.
CREATE TABLE source (k UInt32) ENGINE = MergeTree ORDER BY k;
CREATE TABLE target (k UInt32) ENGINE = MergeTree ORDER BY k;
CREATE MATERIALIZED VIEW own ENGINE = MergeTree ORDER BY k AS SELECT k FROM source;
CREATE MATERIALIZED VIEW other TO target AS SELECT k FROM source;
INSERT INTO source VALUES (1), (2);
-- error: TABLE_SIZE_EXCEEDS_MAX_DROP_SIZE_LIMIT
TRUNCATE TABLE own;
-- error: TABLE_SIZE_EXCEEDS_MAX_DROP_SIZE_LIMIT
DROP VIEW own;
DROP VIEW other;
SELECT count() FROM own;
SELECT count() FROM target;
CREATE DATABASE d;
CREATE TABLE d.t (k UInt32) ENGINE = MergeTree ORDER BY k;
INSERT INTO d.t VALUES (1);
-- error: TABLE_SIZE_EXCEEDS_MAX_DROP_SIZE_LIMIT
TRUNCATE ALL TABLES FROM d;
-- error: TABLE_SIZE_EXCEEDS_MAX_DROP_SIZE_LIMIT
DROP DATABASE d;
SELECT count() FROM d.t;
SET max_table_size_to_drop = 0;
DROP DATABASE d;
DROP VIEW own;
SELECT name, type, default FROM system.settings WHERE name LIKE '%\_size_to_drop' ORDER BY name;
SELECT name, type, default FROM system.server_settings WHERE name LIKE '%\_size_to_drop' ORDER BY name;
