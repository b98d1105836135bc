-- Columns are counted that are read of tables, not those that an INSERT brings.
CREATE TABLE t (a UInt8, b UInt8) ENGINE = MergeTree ORDER BY a;
SET max_columns_to_read = 1;
INSERT INTO t VALUES (1, 2);
INSERT INTO t FORMAT CSV
3,4
;
SELECT a FROM t ORDER BY a;
-- error: TOO_MANY_COLUMNS
SELECT a, b FROM t;
