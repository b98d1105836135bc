-- A setting that ClickHouse has is never an unknown one, here or there; its value is checked by its type.
SELECT 1 SETTINGS use_skip_indexes_on_data_read = 1, enable_vertical_final = 0, optimize_distinct_in_order = 1, max_partition_size_to_drop = 0, preferred_block_size_bytes = 1000, apply_mutations_on_fly = 0, validate_mutation_query = 1, use_strict_insert_block_limits = 0;
SET insert_select_deduplicate = 'auto', enable_lightweight_update = 1, alter_update_mode = 'heavy';
SELECT name, value, default, changed, type FROM system.settings WHERE name IN ('alter_update_mode', 'optimize_distinct_in_order', 'preferred_block_size_bytes', 'max_table_size_to_drop') ORDER BY name;
-- error: UNKNOWN_SETTING
SET use_skip_index_on_data_reads = 1;
-- error: CANNOT_PARSE_BOOL
SET optimize_distinct_in_order = 'abc';
-- error: CANNOT_PARSE_NUMBER
SET connect_timeout = 'abc';
-- error: BAD_ARGUMENTS
SET max_parallel_replicas = 0;
-- error: BAD_ARGUMENTS
SET deduplicate_insert = 'force_enable';
-- error: BAD_ARGUMENTS
SET deduplicate_insert_select = 'enable';
-- error: BAD_ARGUMENTS
SET alter_update_mode = 'light';
-- One name of two.
SET max_insert_block_size_rows = 77;
SELECT getSetting('max_insert_block_size');
SELECT name, alias_for FROM system.settings WHERE name IN ('max_insert_block_size_rows', 'allow_experimental_lightweight_delete') ORDER BY name;
CREATE TABLE t (k Int32) ENGINE = MergeTree ORDER BY k;
INSERT INTO t VALUES (1);
-- error: SUPPORT_IS_DISABLED
DELETE FROM t WHERE k = 1 SETTINGS enable_lightweight_delete = 0;
-- error: SUPPORT_IS_DISABLED
DELETE FROM t WHERE k = 1 SETTINGS allow_experimental_lightweight_delete = 0;
SELECT count() FROM t;
CREATE TABLE computed (k Int32, m Int32 MATERIALIZED k + 1) ENGINE = MergeTree ORDER BY k;
-- error: ILLEGAL_COLUMN
INSERT INTO computed (k, m) VALUES (1, 7);
INSERT INTO computed (k, m) SETTINGS insert_allow_materialized_columns = 1 VALUES (1, 7);
INSERT INTO computed (k, m) SETTINGS insert_allow_materialized_columns = 1 SELECT 2, 8;
INSERT INTO computed VALUES (3);
SELECT k, m FROM computed ORDER BY k;
