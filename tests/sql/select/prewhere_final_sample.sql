CREATE TABLE t (a UInt32, b String) ENGINE = MergeTree ORDER BY a;
INSERT INTO t SELECT number, toString(number * 2) FROM numbers(100);
SELECT count() FROM t PREWHERE a < 10;
SELECT b FROM t PREWHERE a < 10 WHERE b LIKE '1%' ORDER BY a;
SELECT count() FROM t PREWHERE a > 1000;
SELECT sum(a) FROM t PREWHERE b = '20';
-- error: SAMPLING_NOT_SUPPORTED
SELECT count() FROM t SAMPLE 0.1;
-- error: ILLEGAL_PREWHERE
SELECT number FROM numbers(10) PREWHERE number > 3;
