-- Granules without NULL, and those of NULL alone, are left out by the minmax index, or by what parts know of their columns.
CREATE TABLE t (k UInt32, nv Nullable(UInt32), nf Nullable(Float64), ns Nullable(String), INDEX i nv TYPE minmax GRANULARITY 1) ENGINE = MergeTree ORDER BY k SETTINGS index_granularity = 10;
INSERT INTO t SELECT number, if(number BETWEEN 500 AND 519, NULL, number), if(number BETWEEN 300 AND 304, NULL, number / 7), if(number < 990, NULL, 'x') FROM numbers(1000);
SELECT count(), min(k), max(k) FROM t WHERE nv IS NULL;
SELECT count() FROM t WHERE nv IS NOT NULL;
SELECT count(), min(k), max(k) FROM t WHERE nf IS NULL;
SELECT count(), sum(k) FROM t WHERE nf IS NOT NULL;
SELECT count(), min(k), max(k) FROM t WHERE ns IS NOT NULL;
SELECT count() FROM t WHERE ns IS NULL;
SELECT count() FROM t WHERE nv IS NULL OR k = 3;
SELECT count() FROM t WHERE NOT (nv IS NULL) AND k >= 500 AND k < 530;
SELECT count() FROM t WHERE nv IS NULL SETTINGS max_rows_to_read = 30;
SELECT count() FROM t WHERE ns IS NOT NULL SETTINGS max_rows_to_read = 1000;
SELECT count() FROM t WHERE isNull(nv) SETTINGS max_rows_to_read = 30;
SELECT count() FROM t WHERE nf = 1 OR nf IS NULL;
SELECT count() FROM t WHERE nv > 5 OR ns = 'x';
SELECT count() FROM t WHERE nv != 7;
SELECT count() FROM t WHERE NOT (nv > 5);
SELECT count() FROM t WHERE coalesce(nf, -1) = -1;
