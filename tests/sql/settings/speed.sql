-- How fast a query must be and may be, how long it may be expected to take, and what it may read.
-- error: TOO_SLOW
SELECT count(sipHash64(number)) FROM numbers(100000000000) SETTINGS min_execution_speed = 1000000000000, timeout_before_checking_execution_speed = 0;
-- error: TOO_SLOW
SELECT count(sipHash64(number)) FROM numbers(100000000000) SETTINGS min_execution_speed_bytes = 100000000000000, timeout_before_checking_execution_speed = 0;
-- error: TOO_SLOW
SELECT count(sipHash64(number)) FROM numbers(100000000000) SETTINGS max_estimated_execution_time = 1, timeout_before_checking_execution_speed = 1;
SELECT count(sipHash64(number)) FROM numbers(10000) SETTINGS min_execution_speed = 1, max_estimated_execution_time = 100, timeout_before_checking_execution_speed = 0;
SELECT count(sipHash64(number)) FROM numbers(10000) SETTINGS min_execution_speed = 1000000000000;
SELECT sum(number) FROM numbers(100000) SETTINGS max_execution_speed = 200000, max_block_size = 10000, timeout_before_checking_execution_speed = 0;
-- error: TOO_MANY_ROWS
SELECT sum(number) FROM numbers(1000) SETTINGS max_rows_to_read_leaf = 10;
-- error: TOO_MANY_BYTES
SELECT sum(number) FROM numbers(1000) SETTINGS max_bytes_to_read_leaf = 10;
SELECT sum(number) FROM numbers(1000) SETTINGS max_rows_to_read_leaf = 1000, max_bytes_to_read_leaf = 9000;
CREATE TABLE t (a UInt64) ENGINE = MergeTree ORDER BY a;
INSERT INTO t SELECT number FROM numbers(1000);
-- error: TOO_MANY_ROWS
SELECT sum(a) FROM t SETTINGS max_rows_to_read_leaf = 10;
-- error: MEMORY_LIMIT_EXCEEDED
SELECT length(groupArray(number)) FROM numbers(10000000) SETTINGS max_memory_usage_for_user = 1000000;
SELECT 1 SETTINGS max_concurrent_queries_for_all_users = 1;
-- error: READONLY
SET max_sessions_for_user = 1;
-- error: UNKNOWN_OVERFLOW_MODE
SELECT 1 SETTINGS timeout_overflow_mode = 'any';
-- error: UNKNOWN_OVERFLOW_MODE
SELECT 1 SETTINGS read_overflow_mode_leaf = 'BREAK';
SELECT 1 SETTINGS timeout_overflow_mode = 'break', group_by_overflow_mode = 'any';
