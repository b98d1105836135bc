-- Sums of a column and a constant are the column's sum and its count.
CREATE TABLE t (g UInt8, u8 UInt8, i16 Int16, u64 UInt64, i64 Int64, n Nullable(Int32), l LowCardinality(UInt16), f Float32) ENGINE = MergeTree ORDER BY g SETTINGS allow_suspicious_low_cardinality_types = 1;
INSERT INTO t SELECT number % 3, number, toInt16(number) - 300, 18446744073709551615 - number, 9223372036854775807 - number, if(number % 2, NULL, number), number, number / 3 FROM numbers(500);
SELECT g, sum(u8), sum(u8 + 1), sum(u8 - 1), sum(1 - u8), sum(300 + u8), toTypeName(sum(u8 + 1)), toTypeName(sum(u8 - 1)) FROM t GROUP BY g ORDER BY g;
SELECT sum(i16 + 5), sum(i16 - 5), sum(5 - i16), sum(i16 + -5), toTypeName(sum(i16 + 5)) FROM t;
SELECT sum(u64 + 1), sum(u64 - 1), sum(1 - u64), sum(i64 + 1), sum(i64 - 9223372036854775807), toTypeName(sum(u64 - 1)) FROM t;
SELECT sum(u8 + 18446744073709551615), sum(i16 + 18446744073709551615), sum(u64 + 18446744073709551615) FROM t;
SELECT g, sum(n + 1), sum(n - 1), toTypeName(sum(n + 1)), sum(l + 1), toTypeName(sum(l + 1)) FROM t GROUP BY g ORDER BY g;
SELECT sum(u8 + 1), sum(n + 1) FROM t WHERE g = 7;
SELECT sum(n + 1) FROM t WHERE n IS NULL;
SELECT sum(f + 1) > sum(f), sum(u8 * 2 + 1), sum(u8 + g), sum((u8 + 1) + 2), sum(DISTINCT g + 1), sumIf(u8 + 1, g = 1), sum(u8 + 1) FILTER (WHERE g = 1) FROM t;
SELECT g, sum(u8 + 1) OVER (PARTITION BY g ORDER BY u8, i16) AS s FROM t ORDER BY g, s LIMIT 3;
SELECT g, sum(u8 + 1) AS s FROM t GROUP BY g HAVING sum(u8 + 1) > 10 ORDER BY sum(u8 + 1) + 1, g;
SELECT g, sum(u8 + 1) FROM t GROUP BY g WITH TOTALS ORDER BY g;
SELECT sum(g + 1 AS h), max(h) FROM t;
SELECT sum(true + 1), sum(1 + 2) FROM numbers(3);
SELECT sum(u8 + 1), sum(u8 + 2) FROM t SETTINGS optimize_arithmetic_operations_in_aggregate_functions = 0;
