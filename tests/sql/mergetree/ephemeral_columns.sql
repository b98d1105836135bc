-- What an INSERT takes and no row has cannot be read.
CREATE TABLE e (k UInt32, x UInt32 EPHEMERAL 5, y UInt32 DEFAULT x + 1) ENGINE = MergeTree ORDER BY k;
CREATE TABLE m (k UInt32, x UInt32 EPHEMERAL 5, y UInt32 DEFAULT x + 1) ENGINE = Memory;
INSERT INTO e (k, x) VALUES (1, 2);
INSERT INTO m (k, x) VALUES (1, 2);
SELECT * FROM e;
-- error: NO_SUCH_COLUMN_IN_TABLE
SELECT x FROM e;
-- error: NO_SUCH_COLUMN_IN_TABLE
SELECT k, x + 1 FROM m;
-- error: NO_SUCH_COLUMN_IN_TABLE
SELECT e.x FROM e;
-- error: NO_SUCH_COLUMN_IN_TABLE
SELECT k FROM e WHERE x = 1;
-- error: NO_SUCH_COLUMN_IN_TABLE
SELECT k FROM e ORDER BY x;
-- error: NO_SUCH_COLUMN_IN_TABLE
SELECT t.x FROM e AS t JOIN m ON t.k = m.k;
-- error: NO_SUCH_COLUMN_IN_TABLE
INSERT INTO e (y) SELECT x FROM e;
-- error: UNKNOWN_IDENTIFIER
SELECT x FROM (SELECT * FROM e);
-- error: UNKNOWN_IDENTIFIER
SELECT z FROM e;
SELECT 1 AS x, k FROM e WHERE x = 1;
-- An ALIAS of one hides no other column.
CREATE TABLE aliased (a UInt32, x UInt32 EPHEMERAL 1, y UInt32 ALIAS x + 1, z UInt32 ALIAS a + 1) ENGINE = MergeTree ORDER BY a;
INSERT INTO aliased (a) VALUES (1), (2);
SELECT * FROM aliased ORDER BY a;
SELECT a, z FROM aliased ORDER BY a;
-- error: NO_SUCH_COLUMN_IN_TABLE
SELECT y FROM aliased;
-- error: NO_SUCH_COLUMN_IN_TABLE
SELECT x FROM aliased;
