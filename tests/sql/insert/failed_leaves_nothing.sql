CREATE TABLE t (a UInt8, b String) ENGINE = MergeTree ORDER BY a;
-- error: CANNOT_PARSE_TEXT
INSERT INTO t SELECT if(number = 99999, 'bad', toString(number % 10)), 'x' FROM numbers(100000);
SELECT count() FROM t;
-- error: FUNCTION_THROW_IF_VALUE_IS_NON_ZERO
INSERT INTO t SELECT throwIf(number = 50000), 'x' FROM numbers(100000) SETTINGS max_block_size = 1000, min_insert_block_size_rows = 1000000;
SELECT count() FROM t;
SELECT count() FROM system.parts WHERE database = currentDatabase() AND table = 't' AND active;
INSERT INTO t VALUES (1, 'good');
SELECT * FROM t;
