CREATE TABLE a (id UInt32, s String) ENGINE = MergeTree ORDER BY id;
INSERT INTO a VALUES (1, 'x');
CREATE TABLE b AS a;
SELECT count() FROM b;
SHOW CREATE TABLE b;
CREATE TABLE c ENGINE = MergeTree ORDER BY id AS SELECT * FROM a;
SELECT * FROM c;
CREATE TABLE d ENGINE = Memory AS SELECT number AS n, toString(number) AS s FROM numbers(2);
DESCRIBE TABLE d;
CREATE TABLE IF NOT EXISTS a (other UInt8) ENGINE = Memory;
SELECT name FROM system.columns WHERE database = currentDatabase() AND table = 'a' ORDER BY position;
-- error: TABLE_ALREADY_EXISTS
CREATE TABLE a (other UInt8) ENGINE = Memory;
CREATE OR REPLACE TABLE a (other UInt8) ENGINE = MergeTree ORDER BY other;
SELECT count() FROM a;
CREATE TABLE e (x UInt8, x2 UInt8) ENGINE = MergeTree ORDER BY x COMMENT 'a comment';
SELECT comment FROM system.tables WHERE database = currentDatabase() AND name = 'e';
