SELECT firstNonDefault(0, 5), firstNonDefault(NULL, 0, 3), firstNonDefault('', 'a'), toTypeName(firstNonDefault(0, toUInt16(5))), firstNonDefault(NULL, 0), firstNonDefault('', NULL, 'x'), firstNonDefault(0, 0);
SELECT multiMatchAnyIndex('abc', ['b', 'a']), multiMatchAnyIndex('abc', ['x', 'c', 'a']), multiMatchAnyIndex('abc', ['a', 'b']), multiMatchAnyIndex('abc', ['x']);
SELECT mapUpdate(map('a', 1, 'b', 2), map('c', 3, 'a', 4)), mapUpdate(map('a', 1, 'b', 2), map('b', 3)), mapUpdate(map('z', 1, 'b', 2), map('b', 3, 'a', 1));
SELECT arrayPartialReverseSort(2, [5, 9, 1, 3]), arrayPartialSort(2, [5, 9, 1, 3]), arrayPartialSort(2, [5, 9, 1, 3, 7, 2, 8]), arrayPartialReverseSort(3, [5, 9, 1, 3, 7, 2, 8]), arrayPartialSort(3, [4, 4, NULL, 1, nan, 0, 7, 7, 2]);
SELECT arrayPartialSort(x -> -x, 2, [5, 9, 1, 3]), arrayPartialReverseSort(x -> -x, 2, [5, 9, 1, 3]), arrayPartialSort((x, y) -> -y, 1, [0, 1, 2], [1, 2, 3]), arrayPartialReverseSort((x, y) -> -y, 1, [0, 1, 2], [1, 2, 3]);
SELECT mapPartialSort((k, v) -> v, 2, map('k1', 3, 'k2', 1, 'k3', 2)), mapPartialReverseSort((k, v) -> v, 2, map('k1', 3, 'k2', 1, 'k3', 2)), mapPartialSort(2, map('k3', 3, 'k2', 1, 'k1', 2));
SELECT arrayRemove(['a', NULL, 'b', NULL], NULL), arrayRemove([1, 2, 1], 1), arrayRemove([1, NULL], 1);
SELECT arrayRemove(x, y) FROM values('x Array(Nullable(UInt8)), y Nullable(UInt8)', ([1, NULL], NULL), ([1, NULL], 1));
SELECT cutToFirstSignificantSubdomain('www.tr'), cutToFirstSignificantSubdomain('tr'), firstSignificantSubdomain('www.tr'), cutToFirstSignificantSubdomain('www.com'), cutToFirstSignificantSubdomain('www.example.tr');
SELECT parseTimeDelta('1yr2mo'), parseTimeDelta('1yr'), parseTimeDelta('11s+22min');
SELECT simpleJSONExtractString('{"foo":"\\u263"}', 'foo'), simpleJSONExtractString('{"foo":"\\u263a"}', 'foo'), simpleJSONExtractString('{"foo":"a\\qb"}', 'foo');
SELECT toModifiedJulianDayOrNull('0000-00-00'), toModifiedJulianDayOrNull('2020-02-30'), toModifiedJulianDayOrNull('2020-11-01');
SELECT groupArraySample(3, 42)(number), groupArraySample(30)(number) FROM numbers(20) SETTINGS max_threads = 1;
SELECT toIPv4('1.2.3.4') + 1, toTypeName(toIPv4('1.2.3.4') + 1), toIPv4('1.2.3.4') - toIPv4('1.2.3.1'), toIPv4('1.2.3.4') * 2, toIPv4('1.2.3.4') % 7, toIPv4('1.2.3.4') / 2, intDiv(toIPv4('1.2.3.4'), 2);
SELECT formatReadableSize(1024, 0), formatReadableSize(1234567, 3), formatReadableQuantity(1234567, 1), formatReadableDecimalSize(1234567, 0), formatReadableSize(1024);
SELECT formatReadableTimeDelta(INTERVAL 100 SECOND), formatReadableTimeDelta(INTERVAL 2 DAY), formatReadableTimeDelta(INTERVAL 3661 SECOND, 'minutes'), formatReadableTimeDelta(INTERVAL 36 HOUR);
-- error: BAD_ARGUMENTS
SELECT formatReadableTimeDelta(INTERVAL 3 MONTH);
SELECT [10, 20, 30][[2, 1]], arrayElementOrNull([10, 20], [1, 5]), arrayElement([10, 20], [1, 5, -1]), arrayElement(['a', 'b'], [2, 1]), [10, 20, 30][[1, NULL]], [10, NULL][[1, 2, 3]];
SELECT groupArrayMovingSum(2)(x), groupArrayMovingAvg(2)(x), toTypeName(groupArrayMovingSum(2)(x)), toTypeName(groupArrayMovingAvg(2)(x)) FROM (SELECT toDecimal32(arrayJoin([1, 2, 3]), 2) AS x);
SELECT tuplePlus((1, 2), (3, 4), (5, 6)), tupleMinus((1, 2), (3, 4), (5, 6)), tupleMultiply((1, 2), (3, 4), (5, 6)), tupleDivide((1, 2), (3, 4), (5, 6)), vectorSum((1, 2), (3, 4), (5, 6), (7, 8)), tupleIntDiv((10, 20), (3, 4), (2, 1));
SELECT hex(bitShiftLeft(toFixedString('abc', 3), 4)), hex(bitShiftRight(toFixedString('abc', 3), 4)), hex(bitShiftLeft(toFixedString('abc', 3), 24)), hex(bitShiftLeft(toFixedString('abc', 3), 8)), hex(bitShiftRight(toFixedString('abc', 3), 9)), hex(bitShiftRight(toFixedString('abc', 3), 100)), toTypeName(bitShiftLeft(toFixedString('abc', 3), 1));
-- error: ARGUMENT_OUT_OF_BOUND
SELECT bitShiftLeft(toFixedString('abc', 3), -1);
SELECT reinterpret('abcd', 'Array(UInt16)'), reinterpret('', 'Array(UInt16)'), reinterpret('ab', 'Array(UInt8)');
-- error: BAD_ARGUMENTS
SELECT reinterpret('abc', 'Array(UInt16)');
SELECT mapAdd(([1, 2], [1, 1]), ([2, 3], [10, 10])), toTypeName(mapAdd(([toUInt8(1), 2], [1, 1]), ([toUInt8(1), 2], [1, 1]))), mapSubtract(([1, 2], [5, 5]), ([2, 3], [1, 1])), mapAdd(([1, 2], [1, 1]), ([2, 3], [10, 10]), ([2], [3])), mapAdd((['a'], [1.5]), (['b'], [2.5])), toTypeName(mapSubtract(([1, 2], [5, 5]), ([2, 3], [1, 1])));
SELECT mapFromArrays([1, 2], map('a', 1, 'b', 2)) AS x, toTypeName(x);
SELECT mortonEncode((1, 2), 1024, 16), mortonEncode((1, 1), 2, 3), mortonEncode((1, 2, 3), 1, 2, 3), mortonEncode((8, 1), 1, 2), mortonEncode(tuple(1), 5);
-- error: ARGUMENT_OUT_OF_BOUND
SELECT mortonEncode((1, 2), 1);
SELECT toDate('2020-01-01') + toTime('10:00:00') AS x, toTypeName(x), toDate32('1920-01-01') + toTime('10:00:00') AS y, toTypeName(y), toDate('2020-01-01') + toTime64('10:00:00.5', 1) AS z, toTypeName(z), toTime('10:00:00') + toDate('2020-01-01'), toDateTime('2020-01-01 00:00:00', 'UTC') + toTime('10:00:00'), toDate('2020-01-01') + toTime('-10:00:00') SETTINGS session_timezone = 'UTC';
-- error: ILLEGAL_TYPE_OF_ARGUMENT
SELECT toDate('2020-01-01') - toTime('10:00:00');
SELECT reverseBySeparator('abcde', ''), reverseBySeparator('a.b.c', '.'), reverseBySeparator('a.b.c');
SELECT regexpExtract('100-200', '\\d+'), regexpExtract('100-200', '(\\d+)-(\\d+)'), regexpExtract('100-200', '\\d+', 0), regexpExtract('abc', '\\d+');
-- error: INDEX_OF_POSITIONAL_ARGUMENT_IS_OUT_OF_RANGE
SELECT regexpExtract('100-200', '\\d+', 1);
SELECT fqdn() = FQDN();
SELECT greatCircleDistance(55.755831, 37.617673, -55.755831, -37.617673), geoDistance(38.8976, -77.0366, 39.9496, -75.1503), greatCircleAngle(0, 0, 45, 0), greatCircleDistance(0.5, 1.25, 33.7, -12.1), geoDistance(0.5, 1.25, 0.7, 1.1), greatCircleAngle(0.5, 1.25, 0.7, 1.1), toTypeName(greatCircleAngle(0, 0, 45, 0)), greatCircleDistance(1, 2, 100, 3);
SELECT addInterval(INTERVAL 2 DAY, INTERVAL 1 DAY) AS x, toTypeName(x), addInterval((INTERVAL 2 DAY, INTERVAL 1 HOUR), INTERVAL 3 DAY), (INTERVAL 1 HOUR, INTERVAL 2 DAY) - INTERVAL 3 DAY, subtractInterval(INTERVAL 2 DAY, INTERVAL 1 DAY), INTERVAL 2 DAY + INTERVAL 1 DAY;
