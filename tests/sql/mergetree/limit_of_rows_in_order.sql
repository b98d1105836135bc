-- A limit in the order of the key reads the first rows, which may be fewer than what a query may read.
CREATE TABLE t (k UInt32, v UInt32) ENGINE = MergeTree ORDER BY k SETTINGS index_granularity = 100;
INSERT INTO t SELECT number, number FROM numbers(20000);
SELECT k FROM t ORDER BY k LIMIT 3 SETTINGS max_rows_to_read = 500;
SELECT k FROM t ORDER BY k DESC LIMIT 3 SETTINGS max_rows_to_read = 500;
SELECT k FROM t ORDER BY k LIMIT 3, 3 SETTINGS max_rows_to_read = 500;
-- error: TOO_MANY_ROWS
SELECT k FROM t ORDER BY v LIMIT 3 SETTINGS max_rows_to_read = 500;
-- error: TOO_MANY_ROWS
SELECT k FROM t ORDER BY k LIMIT 1000 SETTINGS max_rows_to_read = 500;
-- error: TOO_MANY_ROWS
SELECT sum(v) FROM t SETTINGS max_rows_to_read = 500;
