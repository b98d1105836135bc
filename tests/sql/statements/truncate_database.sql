-- error: UNKNOWN_TABLE
REPLACE TABLE rt (k UInt8) ENGINE = MergeTree ORDER BY k;
CREATE TABLE rt (k UInt8) ENGINE = MergeTree ORDER BY k;
INSERT INTO rt VALUES (1);
REPLACE TABLE rt (j UInt8) ENGINE = MergeTree ORDER BY j;
SELECT count() FROM rt;
INSERT INTO rt VALUES (2);
REPLACE TABLE rt ENGINE = MergeTree ORDER BY i AS SELECT toUInt8(7) AS i;
SELECT * FROM rt;
CREATE DATABASE truncated;
CREATE TABLE truncated.a (k UInt8) ENGINE = MergeTree ORDER BY k;
CREATE TABLE truncated.b (k UInt8) ENGINE = Memory;
CREATE VIEW truncated.v AS SELECT 1 AS x;
INSERT INTO truncated.a VALUES (1);
INSERT INTO truncated.b VALUES (1);
TRUNCATE ALL TABLES FROM truncated;
SELECT count() FROM truncated.a;
SELECT count() FROM truncated.b;
SELECT * FROM truncated.v;
TRUNCATE DATABASE truncated;
SHOW TABLES FROM truncated;
TRUNCATE DATABASE IF EXISTS truncated_nope;
-- error: UNKNOWN_DATABASE
TRUNCATE DATABASE truncated_nope;
DROP DATABASE truncated;
