-- Blocks that arrive at a view's target have the least size that the settings for views say.
CREATE TABLE src (n UInt64) ENGINE = Null;
CREATE TABLE few (n UInt64) ENGINE = MergeTree ORDER BY n;
CREATE MATERIALIZED VIEW to_few TO few AS SELECT n FROM src WHERE n % 1000 = 0;
SYSTEM STOP MERGES few;
SET max_threads = 1, max_insert_threads = 1, min_insert_block_size_rows_for_materialized_views = 0;
INSERT INTO src SELECT number FROM numbers(3000000) SETTINGS min_insert_block_size_rows_for_materialized_views = 1;
SELECT count(), sum(rows) FROM system.parts WHERE database = currentDatabase() AND table = 'few' AND active;
TRUNCATE TABLE few;
INSERT INTO src SELECT number FROM numbers(3000000) SETTINGS min_insert_block_size_rows_for_materialized_views = 2000;
SELECT count(), sum(rows) FROM system.parts WHERE database = currentDatabase() AND table = 'few' AND active;
TRUNCATE TABLE few;
INSERT INTO src SELECT number FROM numbers(3000000) SETTINGS min_insert_block_size_rows_for_materialized_views = 100000000;
SELECT count(), sum(rows) FROM system.parts WHERE database = currentDatabase() AND table = 'few' AND active;
TRUNCATE TABLE few;
INSERT INTO src SELECT number FROM numbers(3000000) SETTINGS min_insert_block_size_bytes_for_materialized_views = 1;
SELECT count(), sum(rows) FROM system.parts WHERE database = currentDatabase() AND table = 'few' AND active;
-- What a view gives of one block is not cut.
CREATE TABLE whole (n UInt64) ENGINE = MergeTree ORDER BY n;
CREATE MATERIALIZED VIEW to_whole TO whole AS SELECT n FROM src;
SYSTEM STOP MERGES whole;
INSERT INTO src SELECT number FROM numbers(3000000) SETTINGS min_insert_block_size_rows_for_materialized_views = 10;
SELECT count(), sum(rows) FROM system.parts WHERE database = currentDatabase() AND table = 'whole' AND active;
SELECT count(), sum(n) FROM whole;
