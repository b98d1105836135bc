-- What aggregate functions make of dates, times, Bool and enums.

-- The average of dates and times is one of them: the nearest, of two the even one.
SELECT avg(x) AS y, toTypeName(y) FROM (SELECT arrayJoin([toDate('2024-02-29'), toDate('2024-03-01')]) AS x);
SELECT avg(x) AS y, toTypeName(y) FROM (SELECT arrayJoin([toDate('2024-03-01'), toDate('2024-03-02')]) AS x);
SELECT avg(x) AS y, toTypeName(y) FROM (SELECT arrayJoin([toDate('2024-02-29'), toDate('2024-03-01'), toDate('2024-03-01')]) AS x);
SELECT avg(x) AS y, toTypeName(y) FROM (SELECT arrayJoin([toDate32('1950-01-02'), toDate32('1950-01-03')]) AS x);
SELECT avg(x) AS y, toTypeName(y) FROM (SELECT arrayJoin([toDate32('1950-01-03'), toDate32('1950-01-04')]) AS x);
SELECT avg(x) AS y, toTypeName(y) FROM (SELECT arrayJoin([toDateTime('2024-05-17 13:37:42', 'Asia/Tokyo'), toDateTime('2024-05-17 13:37:43', 'Asia/Tokyo')]) AS x);
SELECT avg(x) AS y, toTypeName(y) FROM (SELECT arrayJoin([toDateTime('2024-05-17 13:37:42', 'UTC'), toDateTime('2024-05-18 00:00:00', 'UTC')]) AS x);
SELECT avg(x) AS y, toTypeName(y) FROM (SELECT arrayJoin([toDateTime64('1960-05-17 13:37:43.122', 3, 'UTC'), toDateTime64('1960-05-17 13:37:43.123', 3, 'UTC')]) AS x);
SELECT avg(toDateTime64('2024-05-17 13:37:42.123456789', 9, 'UTC')) AS y, toTypeName(y) FROM numbers(11);
SELECT avg(x) AS y, toTypeName(y) FROM (SELECT arrayJoin([toTime('-00:00:02'), toTime('-00:00:03')]) AS x);
SELECT avg(x) AS y, toTypeName(y) FROM (SELECT arrayJoin([toTime64('00:00:01.5', 1), toTime64('00:00:01.6', 1)]) AS x);
SELECT avg(x) AS y, toTypeName(y) FROM (SELECT arrayJoin([toDate('2024-05-17'), NULL]) AS x);
SELECT avg(x) AS y, toTypeName(y) FROM (SELECT toDate('2024-05-17') AS x WHERE 0);
SELECT avg(x) AS y, toTypeName(y) FROM (SELECT toNullable(toDate('2024-05-17')) AS x WHERE 0);
SELECT avgIf(x, x > '2024-02-29'), avgIf(x, 0), avgOrNull(x), avgDistinct(x) FROM (SELECT arrayJoin([toDate('2024-02-29'), toDate('2024-03-01')]) AS x);
SELECT avgArray([toDate('2024-02-29'), toDate('2024-03-02')]), avgForEach([toDate('2024-05-17')]), avgMap(map('a', toDate('2024-05-17')));
SELECT arrayReduce('avg', [toDate('2024-05-17'), toDate('2024-05-19')]) AS y, toTypeName(y);
SELECT avgMerge(s) AS y, toTypeName(y) FROM (SELECT avgState(toDate('2024-02-29')) AS s);
SELECT hex(avgState(toDateTime64('2024-02-29 00:00:00.123', 3, 'UTC'))), hex(avgState(toDate32('1950-01-01')));
SELECT number % 3 AS k, avg(toDateTime(1715904000 + number, 'UTC')) FROM numbers(1000) GROUP BY k ORDER BY k;
SELECT number, avg(toDateTime64('2024-05-17 13:37:42', 0, 'UTC') + number) OVER (ORDER BY number ROWS BETWEEN 1 PRECEDING AND CURRENT ROW) FROM numbers(4) ORDER BY number;
-- error: ILLEGAL_TYPE_OF_ARGUMENT
SELECT avgWeighted(x, 1) FROM (SELECT arrayJoin([toDate('2024-02-29'), toDate('2024-03-01')]) AS x);
-- error: ILLEGAL_TYPE_OF_ARGUMENT
SELECT avg(CAST('a', 'Enum8(\'a\' = 1)'));
-- error: ILLEGAL_TYPE_OF_ARGUMENT
SELECT avg(INTERVAL 1 DAY);

-- Bool is the number 0 or 1.
SELECT groupBitAnd(x), groupBitOr(x), groupBitXor(x), toTypeName(groupBitXor(x)), groupBitmap(x), toTypeName(groupBitmap(x)) FROM (SELECT arrayJoin([true, false, true]) AS x);
SELECT groupBitAnd(x) AS y, toTypeName(y) FROM (SELECT arrayJoin([true, NULL]) AS x);
SELECT groupBitAnd(x) AS y, groupBitmap(x) FROM (SELECT true AS x WHERE 0);
SELECT hex(groupBitAndState(true)), hex(groupBitmapState(true)), hex(groupBitOrState(toNullable(true)));
SELECT deltaSum(x) AS y, toTypeName(y), deltaSumTimestamp(x, toInt64(3)) AS z, toTypeName(z) FROM (SELECT arrayJoin([true, false, true]) AS x);
SELECT intervalLengthSum(x, toUInt8(3)), intervalLengthSum(x, x), maxIntersections(x, toUInt8(3)), maxIntersections(x, x) FROM (SELECT arrayJoin([true, false, true]) AS x);
SELECT maxIntersectionsPosition(x, toUInt8(3)) AS y, toTypeName(y) FROM (SELECT arrayJoin([true, false, true]) AS x);
SELECT intervalLengthSum(x, x) FROM (SELECT arrayJoin([toFloat32(0.1), toFloat32(0.2)]) AS x);
SELECT groupArrayInsertAt(x, x) AS y, toTypeName(y) FROM (SELECT arrayJoin([true, false, true]) AS x);
SELECT groupArrayInsertAt(toDate32('1950-01-01'), 2);
SELECT topKWeighted(x, x), approx_top_sum(x, x) FROM (SELECT arrayJoin([true, false, true]) AS x);
-- error: ILLEGAL_TYPE_OF_ARGUMENT
SELECT groupBitAnd(CAST('a', 'Enum8(\'a\' = 1)'));

-- Quantiles that are one of the values have the type of these.
SELECT quantileExact(x) AS y, toTypeName(y), quantileExactHigh(x), quantileExactLow(x), medianExact(x) FROM (SELECT arrayJoin([true, false, true]) AS x);
SELECT quantilesExact(0.1, 0.9)(x) AS y, toTypeName(y), quantilesExactHigh(0.1, 0.9)(x), quantilesExactLow(0.1, 0.9)(x) FROM (SELECT arrayJoin([true, false, true]) AS x);
SELECT quantileExactWeighted(x, 2) AS y, toTypeName(y), quantileInterpolatedWeighted(x, x) AS z, toTypeName(z) FROM (SELECT arrayJoin([true, false, true]) AS x);
SELECT quantileGK(3)(x) AS y, toTypeName(y), quantilesGK(3, 0.5)(x) AS z, toTypeName(z) FROM (SELECT arrayJoin([true, false, true]) AS x);
SELECT quantileExact(x) AS y, toTypeName(y) FROM (SELECT arrayJoin([true, NULL]) AS x);
SELECT quantileExact(x), quantilesExact(0.5)(x) FROM (SELECT true AS x WHERE 0);
SELECT quantileExactMerge(s) AS y, toTypeName(y) FROM (SELECT quantileExactState(true) AS s);
SELECT hex(quantileExactState(true));
SELECT toTypeName(quantile(true)), toTypeName(quantileExactInclusive(true)), toTypeName(quantileBFloat16(true)), toTypeName(quantileTDigest(true));
SELECT quantileBFloat16(x) AS y, toTypeName(y), quantilesBFloat16(0.1, 0.9)(x) AS z, toTypeName(z), quantileBFloat16Weighted(x, 1) AS w, toTypeName(w) FROM (SELECT arrayJoin([toDate('2024-02-29'), toDate('2024-03-01')]) AS x);
SELECT quantileBFloat16(x) AS y, toTypeName(y), quantileBFloat16Weighted(x, 1) AS w, toTypeName(w) FROM (SELECT arrayJoin([toDateTime('2024-05-17 13:37:42', 'UTC'), toDateTime('2024-05-18 00:00:00', 'UTC')]) AS x);
SELECT quantileBFloat16(x) AS y, toTypeName(y) FROM (SELECT toDate('2024-01-01') AS x WHERE 0);
SELECT quantileBFloat16(x) AS y, toTypeName(y) FROM (SELECT toNullable(toDate('2024-01-01')) AS x);
SELECT quantileExactInclusive(x) AS y, toTypeName(y), quantilesExactInclusive(0.25, 0.75)(x) AS z, toTypeName(z) FROM (SELECT arrayJoin([toDate('2024-02-29'), toDate('2024-03-01')]) AS x);
SELECT quantileExactExclusive(x) AS y, toTypeName(y), quantilesExactExclusive(0.25, 0.75)(x) AS z, toTypeName(z) FROM (SELECT arrayJoin([toDate('2024-02-29'), toDate('2024-03-01'), toDate('2024-03-05')]) AS x);
SELECT quantileExactInclusive(x) AS y, toTypeName(y), quantileExactExclusive(x) FROM (SELECT arrayJoin([toDateTime('2024-05-17 13:37:42', 'UTC'), toDateTime('2024-05-18 00:00:00', 'UTC')]) AS x);

-- Sums and moments of the integers that an enum is kept as.
SELECT sum(x) AS y, toTypeName(y), sumWithOverflow(x) AS z, toTypeName(z), sumKahan(x) AS k, toTypeName(k) FROM (SELECT arrayJoin(CAST(['a', 'b', 'a'], 'Array(Enum8(\'a\' = 1, \'b\' = 2))')) AS x);
SELECT sum(x) AS y, sumWithOverflow(x) AS z, toTypeName(z), hex(sumState(x)) FROM (SELECT CAST('a', 'Enum16(\'a\' = 1000)') AS x);
SELECT varPop(x), varSamp(x), stddevPop(x), stddevSamp(x), skewPop(x), skewSamp(x), kurtPop(x), kurtSamp(x) FROM (SELECT arrayJoin(CAST(['a', 'b', 'a'], 'Array(Enum8(\'a\' = 1, \'b\' = 2))')) AS x);
SELECT varPopStable(x), varSampStable(x), stddevPopStable(x), stddevSampStable(x) FROM (SELECT arrayJoin(CAST(['a', 'b', 'a'], 'Array(Enum8(\'a\' = 1, \'b\' = 2))')) AS x);
SELECT groupArrayMovingSum(x) AS y, toTypeName(y), groupArrayMovingAvg(x), groupArrayMovingAvg(3)(x), histogram(3)(x) FROM (SELECT arrayJoin(CAST(['a', 'b', 'a'], 'Array(Enum8(\'a\' = 1, \'b\' = 2))')) AS x);
-- error: ILLEGAL_TYPE_OF_ARGUMENT
SELECT sumCount(CAST('a', 'Enum16(\'a\' = 1000)'));
-- error: ILLEGAL_TYPE_OF_ARGUMENT
SELECT covarPop(CAST('a', 'Enum8(\'a\' = 1)'), 1);

-- The stable functions take whatever is counted in days or seconds.
SELECT varPopStable(x), varSampStable(x), stddevPopStable(x), covarPopStable(x, x), covarSampStable(x, x), corrStable(x, x), corrStable(x, 1) FROM (SELECT arrayJoin([toDate('2024-02-29'), toDate('2024-03-01')]) AS x);
SELECT varPopStable(x), stddevPopStable(x), covarPopStable(x, x), corrStable(x, x) FROM (SELECT arrayJoin([toDateTime('2024-05-17 13:37:42', 'UTC'), toDateTime('2024-05-18 00:00:00', 'UTC')]) AS x);
SELECT varPopStable(x), varSampStable(x), covarSampStable(x, x) FROM (SELECT toDateTime64('2024-05-17 13:37:42.123', 3, 'UTC') AS x);
SELECT varPopStable(x) FROM (SELECT arrayJoin([toDateTime64('2024-05-17 13:37:43.1', 3, 'UTC'), toDateTime64('2024-05-17 13:37:43.2', 3, 'UTC')]) AS x);
SELECT varPopStable(x) FROM (SELECT arrayJoin([toDate32('1950-01-01'), toDate32('1960-01-01')]) AS x);
SELECT varPopStable(x) FROM (SELECT arrayJoin([toTime('12:00:00'), toTime('12:00:01')]) AS x);
SELECT corrStable(x, x) FROM (SELECT arrayJoin([-1, 5, 2]) AS x);
SELECT corrStable(x, x), toTypeName(corrStable(x, x)) FROM (SELECT arrayJoin([NULL, 1, 2]) AS x);
SELECT boundingRatio(x, x), boundingRatio(x, 3) FROM (SELECT arrayJoin([toDate('2024-02-29'), toDate('2024-03-01')]) AS x);
SELECT boundingRatio(x, toFloat64(x)) FROM (SELECT arrayJoin([toDateTime64('2024-05-17 13:37:43.5', 3, 'UTC'), toDateTime64('2024-05-17 13:37:44.5', 3, 'UTC')]) AS x);
-- error: ILLEGAL_TYPE_OF_ARGUMENT
SELECT varPop(toDate('2024-01-01'));

-- A count is never NULL.
SELECT regr_count(x, x) AS y, toTypeName(y) FROM (SELECT arrayJoin([NULL, 1, 2]) AS x);
SELECT regr_count(x, y) AS c, toTypeName(c) FROM (SELECT CAST(NULL AS Nullable(Int8)) AS x, 1 AS y);
SELECT regr_count(NULL, 1) AS c, toTypeName(c);
SELECT regr_countMerge(s) AS c, toTypeName(c) FROM (SELECT regr_countState(toNullable(number), number) AS s FROM numbers(5));

-- NaN is the smallest of floats; within tuples, arrays and maps NULL is, and NaN the largest.
SELECT groupArraySorted(3)(x) FROM (SELECT arrayJoin([1.5, nan, 2.5]) AS x);
SELECT groupArraySorted(2)(x) FROM (SELECT arrayJoin([toFloat32(2), nan, 1]) AS x);
SELECT groupArraySorted(3)(x) FROM (SELECT arrayJoin([(1, 'b'), (1, 'a'), (0, 'z'), (2, 'q')]) AS x);
SELECT groupArraySorted(3)(x) FROM (SELECT arrayJoin([(1, nan), (1, 2.), (1, 1.)]) AS x);
SELECT groupArraySorted(3)(x) FROM (SELECT arrayJoin([(1, NULL), (1, 2), (NULL, 3)]) AS x);
SELECT groupArraySorted(3)(x) FROM (SELECT arrayJoin([[1, NULL], [1, 2], [NULL, 3]]) AS x);
SELECT groupArraySorted(3)(x) FROM (SELECT arrayJoin([[1, 2], [1], [], [0, 5]]) AS x);
SELECT groupArraySorted(5)(x) FROM (SELECT arrayJoin([map('b', 1), map('a', 2), map('a', 1, 'b', 2), map()]) AS x);

-- Up to no value, and by the whole part of a fraction.
SELECT uniqUpTo(0.5)(1), uniqUpTo(0)(number), uniqUpTo(2.7)(number) FROM numbers(5);
SELECT uniqUpTo(0)(x) FROM (SELECT 1 AS x WHERE 0);
-- error: ARGUMENT_OUT_OF_BOUND
SELECT uniqUpTo(101)(1);
