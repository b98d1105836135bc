-- Every setting of ClickHouse's tables is known, its value checked; those of places that are not there are refused.
CREATE TABLE t (k Int32) ENGINE = MergeTree ORDER BY k SETTINGS shared_merge_tree_parts_load_batch_size = 4, min_bytes_for_wide_part = 0, merge_selector_algorithm = 'Simple', replicated_max_ratio_of_wrong_parts = 0.5;
ALTER TABLE t MODIFY SETTING storage_policy = 'default', max_suspicious_broken_parts = 3;
-- error: UNKNOWN_POLICY
CREATE TABLE u (k Int32) ENGINE = MergeTree ORDER BY k SETTINGS storage_policy = 'cold';
-- error: UNKNOWN_POLICY
ALTER TABLE t MODIFY SETTING storage_policy = 'cold';
-- error: UNKNOWN_DISK
CREATE TABLE u (k Int32) ENGINE = MergeTree ORDER BY k SETTINGS disk = 'cold';
-- error: UNKNOWN_SETTING
CREATE TABLE u (k Int32) ENGINE = MergeTree ORDER BY k SETTINGS max_suspicious_broken_part = 3;
-- error: UNKNOWN_SETTING
ALTER TABLE t MODIFY SETTING max_suspicious_broken_part = 3;
-- error: BAD_ARGUMENTS
CREATE TABLE u (k Int32) ENGINE = MergeTree ORDER BY k SETTINGS merge_max_block_size = 0;
-- error: CANNOT_PARSE_BOOL
ALTER TABLE t MODIFY SETTING compress_marks = 'abc';
SELECT name, type, default FROM system.merge_tree_settings WHERE name IN ('max_parts_in_total', 'number_of_mutations_to_throw', 'storage_policy', 'compress_marks', 'merge_max_block_size') ORDER BY name;
SELECT count() FROM system.replicated_merge_tree_settings WHERE name = 'max_parts_in_total';
