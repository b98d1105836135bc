SET max_block_size = 100;
SELECT getSetting('max_block_size');
SELECT value, changed FROM system.settings WHERE name = 'max_block_size';
SET max_threads = '8', max_insert_threads = 4;
SELECT getSetting('max_threads'), getSetting('max_insert_threads');
SET join_use_nulls = true;
SELECT getSetting('join_use_nulls');
-- error: UNKNOWN_SETTING
SET no_such_setting = 1;
-- error: CANNOT_PARSE_INPUT_ASSERTION_FAILED
SET max_block_size = 'many';
SELECT getSetting('max_block_size');
SET max_memory_usage = '1G';
SELECT getSetting('max_memory_usage');
SET max_block_size = DEFAULT;
SELECT changed FROM system.settings WHERE name = 'max_block_size';
SELECT getSetting('max_block_size') SETTINGS max_block_size = 5;
SELECT name FROM system.settings WHERE name IN ('max_threads', 'max_insert_threads', 'min_insert_block_size_bytes') ORDER BY name;
SELECT default FROM system.settings WHERE name IN ('max_partitions_per_insert_block', 'min_insert_block_size_bytes', 'min_insert_block_size_rows') ORDER BY name;
-- error: CANNOT_PARSE_BOOL
SET join_use_nulls = 'maybe';
-- error: CANNOT_PARSE_NUMBER
SET max_execution_time = 'abc';
-- error: BAD_ARGUMENTS
SET max_block_size = 0;
-- error: BAD_ARGUMENTS
SELECT 1 SETTINGS max_insert_block_size = 0;
-- error: CANNOT_CONVERT_TYPE
SELECT 1 SETTINGS max_result_rows = -5;
