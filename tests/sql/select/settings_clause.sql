SELECT 1 SETTINGS max_threads = 1;
SELECT number FROM numbers(3) SETTINGS max_block_size = 1;
SELECT count() FROM numbers(100000) SETTINGS max_threads = 2, max_block_size = 1000;
-- error: UNKNOWN_SETTING
SELECT 1 SETTINGS no_such_setting = 1;
SELECT number FROM numbers(10) ORDER BY number SETTINGS limit = 2;
SELECT number FROM numbers(10) ORDER BY number SETTINGS limit = 2, offset = 3;
SELECT getSetting('max_block_size') SETTINGS max_block_size = 17;
-- error: TOO_MANY_ROWS_OR_BYTES
SELECT number FROM numbers(10) SETTINGS max_result_rows = 5;
-- error: TOO_MANY_ROWS
SELECT count() FROM numbers(1000) WHERE number > 1 SETTINGS max_rows_to_read = 100;
SELECT number FROM numbers(1000) LIMIT 5 SETTINGS max_rows_to_read = 100;
SELECT count() FROM numbers(1000) WHERE number < 50 SETTINGS max_rows_to_read = 100;
