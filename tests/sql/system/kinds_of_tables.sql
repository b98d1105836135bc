-- What tools tell apart: tables of their own data, views, and others.
CREATE TABLE a (x UInt8) ENGINE = MergeTree ORDER BY x;
CREATE TABLE b (x UInt8) ENGINE = Memory;
CREATE TABLE c (x UInt8) ENGINE = Log;
CREATE TABLE d (x UInt8) ENGINE = Null;
CREATE TABLE e (x UInt8) ENGINE = Set;
CREATE VIEW f AS SELECT x FROM a;
CREATE MATERIALIZED VIEW g TO b AS SELECT x FROM a;
SELECT name, has_own_data FROM system.tables WHERE database = currentDatabase() ORDER BY name;
SELECT table_name, table_type FROM information_schema.tables WHERE table_schema = currentDatabase() ORDER BY table_name;
SELECT table_name, is_updatable, is_insertable_into FROM information_schema.views WHERE table_schema = currentDatabase() ORDER BY table_name;
SELECT name, supports_settings, supports_skipping_indices, supports_projections, supports_sort_order, supports_ttl, supports_replication, supports_deduplication, supports_parallel_insert FROM system.table_engines WHERE name IN ('MergeTree', 'ReplacingMergeTree', 'Memory', 'Log', 'Null', 'Set', 'Join', 'Buffer', 'Merge', 'File', 'URL', 'View', 'MaterializedView') ORDER BY name;
SHOW INDEX FROM a FORMAT TSVWithNamesAndTypes;
SHOW FULL COLUMNS FROM a FORMAT TSVWithNamesAndTypes;
SELECT name, content_type, is_tty_friendly, has_schema_inference, has_external_schema FROM system.formats WHERE name IN ('CSV', 'JSON', 'JSONEachRow', 'Native', 'One', 'LineAsString', 'Parquet', 'RowBinary', 'TSVWithNamesAndTypes', 'Regexp', 'JSONAsString', 'XML') ORDER BY name;
