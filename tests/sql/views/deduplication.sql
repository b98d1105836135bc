-- settings: async_insert = 0
CREATE TABLE src (id UInt32) ENGINE = MergeTree ORDER BY id SETTINGS non_replicated_deduplication_window = 100;
CREATE TABLE t (id UInt32) ENGINE = MergeTree ORDER BY id SETTINGS non_replicated_deduplication_window = 100;
CREATE MATERIALIZED VIEW v1 TO t AS SELECT id FROM src;
-- Both views write the same rows into one table, and both are counted.
CREATE MATERIALIZED VIEW v2 TO t AS SELECT id FROM src;
CREATE MATERIALIZED VIEW counts ENGINE = MergeTree ORDER BY c SETTINGS non_replicated_deduplication_window = 100 AS SELECT count() AS c FROM src;
INSERT INTO src SETTINGS insert_deduplication_token = 'a' VALUES (1);
INSERT INTO src SETTINGS insert_deduplication_token = 'a' VALUES (1);
-- Different rows whose aggregates are equal are different blocks.
INSERT INTO src SETTINGS insert_deduplication_token = 'b' VALUES (2);
SELECT * FROM src ORDER BY id;
SELECT * FROM t ORDER BY id;
SELECT * FROM counts;
INSERT INTO src VALUES (3);
INSERT INTO src VALUES (3);
INSERT INTO src VALUES (4);
SELECT * FROM src ORDER BY id;
SELECT * FROM t ORDER BY id;
SELECT * FROM counts;
INSERT INTO src SETTINGS deduplicate_blocks_in_dependent_materialized_views = 0 VALUES (5);
INSERT INTO src SETTINGS deduplicate_blocks_in_dependent_materialized_views = 0 VALUES (5);
SELECT count() FROM src WHERE id = 5;
SELECT count() FROM t WHERE id = 5;
