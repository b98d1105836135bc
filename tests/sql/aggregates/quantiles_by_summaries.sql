-- Rows of one stream give ClickHouse's samples.
SELECT quantile(0.3)(number) FROM numbers(100000) SETTINGS max_threads = 1;
SELECT quantiles(0.1, 0.5, 0.9)(number / 3) FROM numbers(70000) SETTINGS max_threads = 1;
SELECT median(toDecimal32(number, 2)), quantile(0.3)(toDate(number)), quantile(1)(number) FROM numbers(20000) SETTINGS max_threads = 1;
SELECT number % 3 AS k, quantile(0.3)(number) FROM numbers(100000) GROUP BY k ORDER BY k SETTINGS max_threads = 1;
SELECT quantileDeterministic(0.3)(number, number), quantilesDeterministic(0.1, 0.9)(number, number + 1) FROM numbers(100000);
SELECT quantileDeterministic(0.5)(x, toUInt8(1)) FROM values('x Nullable(UInt8)', (1), (NULL), (4));
-- error: ILLEGAL_TYPE_OF_ARGUMENT
SELECT quantileDeterministic(0.5)(number, -1) FROM numbers(3);
SELECT quantileTiming(0.5)(number) FROM numbers(5000);
SELECT quantileTiming(0.7)(number) FROM numbers(10000);
SELECT quantilesTiming(0, 0.1, 0.5, 1)(number) FROM numbers(20000);
SELECT quantilesTiming(1, 0.5, 0)(number) FROM numbers(100000);
SELECT quantileTiming(0.7)(number - 5), quantileTiming(0.7)(number / 3) FROM numbers(20);
SELECT quantileTimingWeighted(0.5)(number, 1), quantileTimingWeighted(0.5)(number, 2), quantileTimingWeighted(0.5)(number, number) FROM numbers(50);
SELECT quantileTimingWeighted(0.5)(number, 1) FROM numbers(5000);
SELECT quantileTimingWeighted(0.7)(number * 1000, 10), quantilesTimingWeighted(0.5, 0, 1)(number * 1000, 10) FROM numbers(20);
SELECT quantileTiming(0.5)(number), quantileTimingWeighted(0.5)(number, 1) FROM numbers(0);
SELECT quantileGK(100, 0.5)(number), quantileGK(1, 0.5)(number), quantileGK(100)(number) FROM numbers(50);
SELECT quantileGK(10, 0.5)(number) FROM numbers(1000) SETTINGS max_threads = 1;
SELECT quantilesGK(100, 0.25, 0.5, 0.75, 0, 1)(number) FROM numbers(200000) SETTINGS max_threads = 1;
SELECT quantilesGK(100, 0.75, 0.1)(number % 1000) FROM numbers(200000) SETTINGS max_threads = 1;
SELECT quantileGK(100, 0.5)(toDate(number)), quantileGK(100, 0.5)(toDecimal32(number, 2)), quantileGK(100, 0.5)(number / 7) FROM numbers(50);
SELECT quantileDD(0.01, 0.5)(number), quantilesDD(0.01, 0., 0.1, 0.5, 0.9, 1)(number - 25) FROM numbers(50);
SELECT quantilesDD(0.1, 0., 0.1, 0.5, 0.9, 1)(number / 7 - 25) FROM numbers(5000);
SELECT quantileDD(0.01, 0.5)(number) FROM numbers(0);
SELECT quantileDD(0.5)(number), toTypeName(quantileDD(0.01, 0.5)(toFloat32(number))), toTypeName(quantileDD(0.01, 0.5)(toDate(number))) FROM numbers(5);
-- error: ILLEGAL_TYPE_OF_ARGUMENT
SELECT quantileGK(0.5)(number) FROM numbers(50);
-- error: BAD_ARGUMENTS
SELECT quantileGK(0, 0.5)(number) FROM numbers(50);
-- error: ILLEGAL_TYPE_OF_ARGUMENT
SELECT quantileGK('a', 0.5)(number) FROM numbers(50);
-- error: ILLEGAL_TYPE_OF_ARGUMENT
SELECT quantileDD(1, 0.5)(number) FROM numbers(5);
-- error: BAD_ARGUMENTS
SELECT quantileDD(0.01, 0.5)(x) FROM values('x Float64', (inf), (1));
