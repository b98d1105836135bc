CREATE TABLE src (id UInt32) ENGINE = MergeTree ORDER BY id;
CREATE MATERIALIZED VIEW v ENGINE = MergeTree ORDER BY c AS SELECT count() AS c, max(id) AS m FROM src;
INSERT INTO src VALUES (1);
ALTER TABLE v MODIFY QUERY SELECT count() AS c, 100 AS m FROM src WHERE id > 2;
INSERT INTO src VALUES (2), (3), (4);
SELECT * FROM v ORDER BY ALL;
-- error: NO_SUCH_COLUMN_IN_TABLE
ALTER TABLE v MODIFY QUERY SELECT count() AS c, 5 AS nope FROM src;
-- error: UNKNOWN_TABLE
ALTER TABLE v MODIFY QUERY SELECT count() AS c FROM nosuch;
-- error: NOT_IMPLEMENTED
ALTER TABLE v ADD COLUMN x UInt8;
ALTER TABLE v MODIFY COMMENT 'of mine';
SELECT comment FROM system.tables WHERE database = currentDatabase() AND name = 'v';
INSERT INTO src VALUES (5);
SELECT * FROM v ORDER BY ALL;
-- A column that is there only later: target first, then the query.
CREATE TABLE t (id UInt32) ENGINE = MergeTree ORDER BY id;
CREATE MATERIALIZED VIEW w TO t AS SELECT id FROM src;
ALTER TABLE t ADD COLUMN half Float64;
ALTER TABLE w MODIFY QUERY SELECT id, id / 2 AS half FROM src;
INSERT INTO src VALUES (9);
SELECT * FROM t;
SELECT * FROM w;
-- A column that the target lost is left out.
ALTER TABLE t DROP COLUMN half;
INSERT INTO src VALUES (10);
SELECT * FROM t ORDER BY id;
