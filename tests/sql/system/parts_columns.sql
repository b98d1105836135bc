CREATE TABLE t (k UInt32, s String, d Date) ENGINE = MergeTree ORDER BY k;
INSERT INTO t SELECT number, toString(number), today() FROM numbers(1000);
INSERT INTO t SELECT number, toString(number), today() FROM numbers(1000);
OPTIMIZE TABLE t FINAL;
SELECT column, type, rows FROM system.parts_columns WHERE database = currentDatabase() AND table = 't' AND active ORDER BY column;
