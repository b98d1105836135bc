-- settings: max_insert_threads = 1, max_threads = 1, async_insert = 0
-- Each block goes through the query by itself.
CREATE TABLE src (id UInt32) ENGINE = MergeTree ORDER BY id;
CREATE MATERIALIZED VIEW v ENGINE = Memory AS SELECT count() AS c, min(id) AS least FROM src;
INSERT INTO src SELECT number FROM numbers(10) SETTINGS max_block_size = 3, min_insert_block_size_rows = 3, min_insert_block_size_bytes = 0;
SELECT * FROM v ORDER BY ALL;
TRUNCATE TABLE v;
INSERT INTO src SELECT number FROM numbers(10) SETTINGS max_block_size = 2, min_insert_block_size_rows = 4, min_insert_block_size_bytes = 0;
SELECT * FROM v ORDER BY ALL;
TRUNCATE TABLE v;
INSERT INTO src VALUES (1), (2), (3);
SELECT * FROM v ORDER BY ALL;
-- One after the other or all at once: the same rows.
TRUNCATE TABLE v;
CREATE MATERIALIZED VIEW w ENGINE = MergeTree ORDER BY id AS SELECT id, id * 2 AS twice FROM src;
INSERT INTO src SELECT number FROM numbers(1000) SETTINGS parallel_view_processing = 1, max_block_size = 100, min_insert_block_size_rows = 100, min_insert_block_size_bytes = 0;
SELECT count(), sum(c) FROM v;
SELECT count(), sum(twice) FROM w;
-- INSERT without rows.
INSERT INTO src SELECT 1 WHERE 0;
SELECT count(), sum(c) FROM v;
