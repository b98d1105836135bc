SELECT lttb(4)(number, number * number % 17) FROM numbers(20);
SELECT largestTriangleThreeBuckets(4)(toDateTime(number, 'UTC'), number * number % 17), toTypeName(lttb(4)(toDate(number), number)) FROM numbers(20);
SELECT lttb(0)(number, number), lttb(1)(number, number * number % 17), lttb(2)(number, number * number % 17), lttb(3)(number, number * number % 17) FROM numbers(20);
SELECT lttb(4)(toDateTime64(number, 2, 'UTC'), number * number % 17), toTypeName(lttb(4)(toDateTime64(number, 2, 'UTC'), number)) FROM numbers(20);
SELECT lttb(4)(toNullable(number), number), lttb(4)(toDecimal32(number, 1), number), lttb(4)(number, toFloat64(number) / 0) FROM numbers(6);
SELECT lttb(4)(number, number) FROM numbers(0);
SELECT lttbMerge(4)(s) FROM (SELECT lttbState(4)(number, number * number % 17) AS s FROM numbers(20) GROUP BY number % 3);
-- error: NUMBER_OF_ARGUMENTS_DOESNT_MATCH
SELECT lttb(number, number) FROM numbers(20);
-- error: ILLEGAL_TYPE_OF_ARGUMENT
SELECT lttb('a')(number, number) FROM numbers(20);
-- error: NOT_IMPLEMENTED
SELECT lttb(4)('a', number) FROM numbers(20);
SELECT sparkbar(9)(number, number * number % 17 + 1) FROM numbers(20);
SELECT sparkbar(9)(number, (number * number % 17) / 4) FROM numbers(20);
SELECT sparkbar(9, 3, 8)(number, number * number % 17 + 1) FROM numbers(20);
SELECT sparkBar(9, toDate('2020-01-01'), toDate('2020-01-10'))(toDate('2020-01-01') + number, number * number % 17 + 1) FROM numbers(20);
SELECT sparkbar(9)(toDateTime(number), toInt32(number) - 5), sparkbar(9)(toUInt8(number), toUInt8(200)) FROM numbers(20);
SELECT sparkbar(9)(number, number), sparkbar(9)(number, toNullable(number)), toTypeName(sparkbar(9)(number, toNullable(number))) FROM numbers(2);
SELECT sparkbar(9)(number, number) FROM numbers(0);
SELECT number % 2 AS k, sparkbar(5)(number, 1) FROM numbers(10) GROUP BY k ORDER BY k;
SELECT sparkbarMerge(9)(s) FROM (SELECT sparkbarState(9)(number, number * number % 17 + 1) AS s FROM numbers(20) GROUP BY number % 3);
-- error: BAD_ARGUMENTS
SELECT sparkbar(1)(number, number) FROM numbers(20);
-- error: BAD_ARGUMENTS
SELECT sparkbar(9, 8, 3)(number, number) FROM numbers(20);
-- error: NUMBER_OF_ARGUMENTS_DOESNT_MATCH
SELECT sparkbar(9, 8)(number, number) FROM numbers(20);
-- error: ILLEGAL_TYPE_OF_ARGUMENT
SELECT sparkbar(9)(toInt32(number), number) FROM numbers(20);
-- error: ILLEGAL_TYPE_OF_ARGUMENT
SELECT sparkbar(9)(number, 'a') FROM numbers(20);
-- error: ILLEGAL_TYPE_OF_ARGUMENT
SELECT sparkbar(9, 'a', 'b')(number, number) FROM numbers(2);
SELECT groupFormat('JSONEachRow')(number, toString(number)) FROM numbers(2);
SELECT groupFormat('CSV')(number, if(number = 1, NULL, number)), toTypeName(groupFormat('CSV')(number, toNullable(number))) FROM numbers(3);
SELECT number % 2 AS k, groupFormat('TSV')(number, 'a\tb') FROM numbers(4) GROUP BY k ORDER BY k;
SELECT groupFormat('JSON')(number) FROM numbers(1);
SELECT groupFormat('CSV')(number), groupFormatOrNull('CSV')(number) FROM numbers(0);
SELECT groupFormatMerge('CSV')(s) FROM (SELECT groupFormatState('CSV')(number) AS s FROM numbers(3));
-- error: UNKNOWN_FORMAT
SELECT groupFormat('Nope')(number) FROM numbers(1);
-- error: NUMBER_OF_ARGUMENTS_DOESNT_MATCH
SELECT groupFormat(number) FROM numbers(1);
-- error: ILLEGAL_TYPE_OF_ARGUMENT
SELECT groupFormat(1)(number) FROM numbers(1);
SELECT nothing(number), toTypeName(nothing(number)), nothingUInt64(number, 'a'), nothingNull(number), toTypeName(nothingNull(number)) FROM numbers(3);
SELECT nothing(toNullable(number)), nothing('a'), toTypeName(nothing(toNullable(number))), nothing(NULL) FROM numbers(3);
SELECT aggThrow(0.)(number), toTypeName(aggThrow(0.)(number)) FROM numbers(3);
-- error: AGGREGATE_FUNCTION_THROW
SELECT aggThrow(1.)(number) FROM numbers(3);
-- error: AGGREGATE_FUNCTION_THROW
SELECT aggThrow(number) FROM numbers(3);
-- error: BAD_GET
SELECT aggThrow(1)(number) FROM numbers(3);
