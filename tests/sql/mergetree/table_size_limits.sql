-- An INSERT may pass the limit once; then the table takes no more.
CREATE TABLE few (k UInt32, v UInt32) ENGINE = MergeTree ORDER BY k SETTINGS max_table_size_rows = 5;
INSERT INTO few SELECT number, 1 FROM numbers(5);
INSERT INTO few SELECT number, 1 FROM numbers(1);
-- error: TABLE_SIZE_LIMIT_EXCEEDED
INSERT INTO few SELECT number, 1 FROM numbers(1);
-- error: TABLE_SIZE_LIMIT_EXCEEDED
INSERT INTO few SELECT number, 1 FROM numbers(0);
SELECT count() FROM few;
ALTER TABLE few MODIFY SETTING max_table_size_rows = 6;
INSERT INTO few VALUES (9, 9);
TRUNCATE TABLE few;
INSERT INTO few VALUES (1, 1);
SELECT count() FROM few;
CREATE TABLE packed (k UInt32, v UInt32) ENGINE = MergeTree ORDER BY k SETTINGS max_table_size_bytes_compressed = 10;
INSERT INTO packed SELECT number, 1 FROM numbers(4);
-- error: TABLE_SIZE_LIMIT_EXCEEDED
INSERT INTO packed SELECT number, 1 FROM numbers(4);
CREATE TABLE wide (k UInt32, v UInt32) ENGINE = MergeTree ORDER BY k SETTINGS max_table_size_bytes_uncompressed = 100;
INSERT INTO wide SELECT number, 1 FROM numbers(40);
-- error: TABLE_SIZE_LIMIT_EXCEEDED
INSERT INTO wide SELECT number, 1 FROM numbers(4);
CREATE TABLE other AS wide;
INSERT INTO other SELECT number, 1 FROM numbers(10);
-- error: TABLE_SIZE_LIMIT_EXCEEDED
ALTER TABLE wide ATTACH PARTITION tuple() FROM other;
-- error: TABLE_SIZE_LIMIT_EXCEEDED
ALTER TABLE other MOVE PARTITION tuple() TO TABLE wide;
ALTER TABLE wide REPLACE PARTITION tuple() FROM other;
SELECT count() FROM wide;
SELECT name, type, default FROM system.merge_tree_settings WHERE name IN ('table_readonly', 'max_table_size_rows', 'max_table_size_bytes_compressed', 'max_table_size_bytes_uncompressed') ORDER BY name;
