SELECT histogram(5)(number + 1) FROM numbers(20);
SELECT histogram(3)(number), toTypeName(histogram(3)(number)) FROM numbers(3);
SELECT histogram(4)(x) FROM (SELECT (number * number) % 101 AS x FROM numbers(60));
SELECT histogram(2)(toFloat64(number) / 3), histogram(5)(toNullable(number)) FROM numbers(5);
SELECT histogram(5)(number) FROM numbers(0);
SELECT number % 2 AS k, histogram(2)(number) FROM numbers(7) GROUP BY k ORDER BY k;
SELECT histogramMerge(5)(s) FROM (SELECT histogramState(5)(number + 1) AS s FROM numbers(20));
SELECT histogramIf(2)(number, number > 4) FROM numbers(8);
SELECT histogramArray(3)([number, number + 10]) FROM numbers(3);
-- error: BAD_ARGUMENTS
SELECT histogram(0)(number) FROM numbers(3);
-- error: PARAMETER_OUT_OF_BOUND
SELECT histogram(251)(number) FROM numbers(3);
-- error: NUMBER_OF_ARGUMENTS_DOESNT_MATCH
SELECT histogram(number) FROM numbers(3);
-- error: ILLEGAL_TYPE_OF_ARGUMENT
SELECT histogram(5)('a');
-- error: ILLEGAL_TYPE_OF_ARGUMENT
SELECT histogram(3)(toDecimal32(number, 2)) FROM numbers(3);
-- error: INCORRECT_DATA
SELECT histogram(5)(nan);
CREATE TABLE spans (a UInt32, b UInt32) ENGINE = Memory;
INSERT INTO spans VALUES (1, 3), (10, 6), (2, 5), (3, 7), (7, 7);
SELECT intervalLengthSum(a, b), toTypeName(intervalLengthSum(a, b)) FROM spans;
SELECT a % 2 AS k, intervalLengthSum(a, b), maxIntersections(a, b), maxIntersectionsPosition(a, b) FROM spans GROUP BY k ORDER BY k;
SELECT intervalLengthSum(toFloat32(a), toFloat32(b + 0.25)), toTypeName(intervalLengthSum(toFloat32(a), toFloat32(b))) FROM spans;
SELECT intervalLengthSum(toDate(a), toDate(b)), intervalLengthSum(toDateTime(a), toDateTime(b)), intervalLengthSum(-toInt64(b), toInt64(a)) FROM spans;
SELECT intervalLengthSum(if(a = 1, NULL, a), b), toTypeName(intervalLengthSum(toNullable(a), b)) FROM spans;
SELECT intervalLengthSum(a, b), maxIntersections(a, b), maxIntersectionsPosition(a, b) FROM spans WHERE a > 100;
SELECT intervalLengthSumMerge(s), maxIntersectionsMerge(t) FROM (SELECT intervalLengthSumState(a, b) AS s, maxIntersectionsState(a, b) AS t FROM spans GROUP BY a);
SELECT maxIntersections(a, b), maxIntersectionsPosition(a, b), toTypeName(maxIntersections(a, b)), toTypeName(maxIntersectionsPosition(a, b)) FROM spans;
SELECT maxIntersections(a, toNullable(b)), toTypeName(maxIntersections(a, toNullable(b))) FROM spans;
SELECT maxIntersections(x, y), maxIntersectionsPosition(x, y) FROM values('x Float64, y Float64', (1, 3), (nan, 6), (2, nan), (3, 0));
-- error: ILLEGAL_TYPE_OF_ARGUMENT
SELECT maxIntersections(a, toUInt64(b)) FROM spans;
-- error: ILLEGAL_TYPE_OF_ARGUMENT
SELECT maxIntersections(toDate(a), toDate(b)) FROM spans;
-- error: ILLEGAL_TYPE_OF_ARGUMENT
SELECT intervalLengthSum(a, toInt64(b)) FROM spans;
-- error: ILLEGAL_TYPE_OF_ARGUMENT
SELECT intervalLengthSum(toDateTime64(a, 3), toDateTime64(b, 3)) FROM spans;
-- error: NUMBER_OF_ARGUMENTS_DOESNT_MATCH
SELECT intervalLengthSum(1);
