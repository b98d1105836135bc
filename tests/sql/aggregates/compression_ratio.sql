-- settings: max_threads=1
SELECT estimateCompressionRatio(number), estimateCompressionRatio('NONE')(number), estimateCompressionRatio('LZ4')(number), estimateCompressionRatio('LZ4HC')(number), estimateCompressionRatio('LZ4HC(4)')(number), estimateCompressionRatio('ZSTD')(number), estimateCompressionRatio('ZSTD(5)', 100000)(number) FROM numbers(100000);
SELECT estimateCompressionRatio('Delta')(number), estimateCompressionRatio('Delta, LZ4')(number), estimateCompressionRatio('Delta(4), ZSTD(3)')(number), estimateCompressionRatio('Delta, Default')(number) FROM numbers(100000);
SELECT estimateCompressionRatio('DoubleDelta')(number), estimateCompressionRatio('DoubleDelta, LZ4')(cityHash64(number) % 1000), estimateCompressionRatio('DoubleDelta')(cityHash64(number)), estimateCompressionRatio('DoubleDelta')(toUInt8(cityHash64(number) % 1000)), estimateCompressionRatio('DoubleDelta')(toInt32(cityHash64(number) % 100000)) FROM numbers(1000);
SELECT estimateCompressionRatio('Gorilla')(toFloat64(cityHash64(number) % 1000)), estimateCompressionRatio('Gorilla')(toFloat64(cityHash64(number)) / 3), estimateCompressionRatio('Gorilla, LZ4')(toFloat64(cityHash64(number) % 1000)), estimateCompressionRatio('Gorilla')(toFloat32(number)), estimateCompressionRatio('Gorilla')(toUInt8(number)), estimateCompressionRatio('Gorilla')(toUInt16(number)) FROM numbers(1000);
SELECT estimateCompressionRatio('GCD')(number * 12), estimateCompressionRatio('GCD, LZ4')(number * 12), estimateCompressionRatio('GCD, ZSTD')(number * 12 + 5), estimateCompressionRatio('GCD, LZ4')(toInt32(number) * 6) FROM numbers(1000);
SELECT estimateCompressionRatio('T64')(number), estimateCompressionRatio('T64')(toInt8(number)), estimateCompressionRatio('T64, LZ4')(toInt32(number) - 500), estimateCompressionRatio($$T64('bit'), LZ4$$)(toInt32(number) - 500), estimateCompressionRatio('T64, ZSTD')(cityHash64(number)), estimateCompressionRatio('T64, ZSTD')(toDate(number)), estimateCompressionRatio('T64')(toUInt64(5)) FROM numbers(1000);
SELECT estimateCompressionRatio('FPC')(toFloat64(number)), estimateCompressionRatio('FPC')(toFloat32(number)), estimateCompressionRatio('FPC(4)')(number / 3), estimateCompressionRatio('FPC, LZ4')(toFloat64(number % 10)) FROM numbers(1000);
SELECT estimateCompressionRatio(toString(number)), estimateCompressionRatio('LZ4')(toString(number)), estimateCompressionRatio('NONE', 100)(toString(number)), estimateCompressionRatio('NONE', 12)(number) FROM numbers(1000);
SELECT estimateCompressionRatio('NONE')([number]), estimateCompressionRatio('NONE')(tuple(number, 1)), estimateCompressionRatio('NONE')(map(1, number)), estimateCompressionRatio('NONE')(toLowCardinality(toString(number))), estimateCompressionRatio('NONE')(1) FROM numbers(10);
SELECT estimateCompressionRatio('NONE')(toNullable(number)), estimateCompressionRatio('NONE')(if(number > 3, NULL, number)), toTypeName(estimateCompressionRatio(toNullable(number))) FROM numbers(10);
SELECT number % 2 AS k, estimateCompressionRatio('NONE')(number), estimateCompressionRatio('NONE')([number]) FROM numbers(10) GROUP BY k ORDER BY k;
SELECT estimateCompressionRatio(number) FROM numbers(0);
SELECT hex(estimateCompressionRatioState('NONE')(number)) FROM numbers(10);
SELECT estimateCompressionRatioMerge('NONE')(s) FROM (SELECT estimateCompressionRatioState('NONE')(number) AS s FROM numbers(10) GROUP BY number % 2);
-- error: BAD_QUERY_PARAMETER
SELECT estimateCompressionRatio(0)(number) FROM numbers(10);
-- error: BAD_QUERY_PARAMETER
SELECT estimateCompressionRatio('LZ4', 'LZ4')(number) FROM numbers(10);
-- error: UNKNOWN_QUERY_PARAMETER
SELECT estimateCompressionRatio('LZ4', 1, 2)(number) FROM numbers(10);
-- error: UNKNOWN_QUERY_PARAMETER
SELECT estimateCompressionRatio(1.5)(number) FROM numbers(10);
-- error: UNKNOWN_CODEC
SELECT estimateCompressionRatio('XX')(number) FROM numbers(10);
-- error: BAD_ARGUMENTS
SELECT estimateCompressionRatio('Delta')(toString(number)) FROM numbers(10);
-- error: BAD_ARGUMENTS
SELECT estimateCompressionRatio('Delta, LZ4')(toNullable(number)) FROM numbers(10);
-- error: SYNTAX_ERROR
SELECT estimateCompressionRatio('')(number) FROM numbers(10);
