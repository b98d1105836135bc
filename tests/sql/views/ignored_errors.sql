-- settings: async_insert = 0
CREATE TABLE src (id UInt32) ENGINE = MergeTree ORDER BY id;
CREATE MATERIALIZED VIEW v1 ENGINE = Memory AS SELECT id FROM src;
CREATE TABLE t2 (id UInt32, x UInt8) ENGINE = MergeTree ORDER BY id;
CREATE MATERIALIZED VIEW v2 TO t2 AS SELECT throwIf(id = 3) AS x, id FROM src;
CREATE MATERIALIZED VIEW below ENGINE = Memory AS SELECT id FROM t2;
CREATE MATERIALIZED VIEW v3 ENGINE = Memory AS SELECT id FROM src;
INSERT INTO src VALUES (1);
-- error: FUNCTION_THROW_IF_VALUE_IS_NON_ZERO
INSERT INTO src VALUES (3);
INSERT INTO src SETTINGS materialized_views_ignore_errors = 1 VALUES (3), (4);
SELECT count() FROM v3 WHERE id = 4;
SELECT id FROM v2 ORDER BY id;
SELECT id FROM below ORDER BY id;
INSERT INTO src SELECT number + 10 FROM numbers(6) SETTINGS max_block_size = 1, min_insert_block_size_rows = 1, max_insert_threads = 1, materialized_views_ignore_errors = 1;
SELECT count() FROM v3 WHERE id >= 10;
SELECT count() FROM below WHERE id >= 10;
INSERT INTO src VALUES (7);
SELECT id FROM below ORDER BY id;
