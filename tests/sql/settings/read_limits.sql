-- error: TOO_MANY_ROWS
SELECT sum(number) FROM numbers(1000000) SETTINGS max_rows_to_read = 100000;
-- error: TOO_MANY_BYTES
SELECT sum(number) FROM numbers(1000000) SETTINGS max_bytes_to_read = 100000;
-- error: TOO_MANY_ROWS
SELECT sum(number) FROM numbers(101) SETTINGS max_rows_to_read = 100;
SELECT sum(number) FROM numbers(100) SETTINGS max_rows_to_read = 100;
SELECT number FROM numbers(1000000) LIMIT 3 SETTINGS max_rows_to_read = 100;
-- The block that goes over the limit is the last one.
SELECT sum(number) FROM numbers(101) SETTINGS max_rows_to_read = 100, read_overflow_mode = 'break';
SELECT count() BETWEEN 100000 AND 500000, sum(number) > 0 FROM numbers(10000000) SETTINGS max_rows_to_read = 100000, read_overflow_mode = 'break', max_threads = 1;
SELECT count() < 10000000, sum(number) > 0 FROM numbers(10000000) SETTINGS max_bytes_to_read = 100000, read_overflow_mode = 'break';
CREATE TABLE t (a UInt64, b String) ENGINE = MergeTree ORDER BY a SETTINGS index_granularity = 100;
INSERT INTO t SELECT number, toString(number) FROM numbers(10000);
-- error: TOO_MANY_ROWS
SELECT sum(a) FROM t SETTINGS max_rows_to_read = 1000;
SELECT count(), sum(a) FROM t WHERE a < 100 SETTINGS max_rows_to_read = 1000;
-- error: TOO_MANY_BYTES
SELECT max(upper(b)) FROM t SETTINGS max_bytes_to_read = 1000;
SELECT count() FROM t WHERE b = 'nothing' SETTINGS max_rows_to_read = 1000, read_overflow_mode = 'break';
SELECT count() FROM t SETTINGS max_rows_to_read = 1000;
-- error: TOO_MANY_ROWS
INSERT INTO t SELECT number, '' FROM numbers(1000) SETTINGS max_rows_to_read = 100;
SELECT count() FROM t;
-- error: TOO_MANY_ROWS
SELECT number FROM numbers(10) WHERE number IN (SELECT number FROM numbers(1000)) SETTINGS max_rows_to_read = 100;
