SELECT lgamma(-1), lgamma(-7), lgamma(toInt8(-128)), lgamma(-inf), lgamma(0), lgamma(1), lgamma(inf);
SELECT errorCodeToName(nan), errorCodeToName(inf), errorCodeToName(1e30), errorCodeToName(62.9), errorCodeToName(0), errorCodeToName(toNullable(3)) AS x, toTypeName(x), toTypeName(errorCodeToName(NULL));
SELECT errorCodeToName(c) AS x, toTypeName(x) FROM values('c Nullable(Int32)', (NULL), (3), (62), (-1));
SELECT errorCodeToName(CAST(NULL AS Nullable(Float64)));
SELECT YYYYMMDDhhmmssToDateTime64(1.5), YYYYMMDDhhmmssToDateTime64(toFloat32(0.1)), YYYYMMDDhhmmssToDateTime64(-0.25), YYYYMMDDhhmmssToDateTime64(toDecimal64('1.23', 2)), YYYYMMDDhhmmssToDateTime64(toDecimal128('-5.5', 1)), YYYYMMDDhhmmssToDateTime64(300);
SELECT YYYYMMDDhhmmssToDateTime64(20240517133742.123), YYYYMMDDhhmmssToDateTime64(20240517133759.75), YYYYMMDDhhmmssToDateTime64(20240517235959.75), YYYYMMDDhhmmssToDateTime64(20240517133742.123456, 6);
SELECT toModifiedJulianDayOrNull('2024-01-01 00:00:00'), toModifiedJulianDayOrNull('2024-01-01'), toModifiedJulianDayOrNull('2024-01-01x'), toModifiedJulianDayOrNull('2024-1-1'), toModifiedJulianDayOrNull('20240101'), toModifiedJulianDayOrNull('2024/01/01'), toModifiedJulianDayOrNull(''), toModifiedJulianDayOrNull('2024-02-30');
-- error: CANNOT_PARSE_INPUT_ASSERTION_FAILED
SELECT toModifiedJulianDay('2024-01-01 00:00:00');
-- error: CANNOT_PARSE_INPUT_ASSERTION_FAILED
SELECT toModifiedJulianDay('');
SELECT fromDaysSinceYearZero32(300), fromDaysSinceYearZero32(0), fromDaysSinceYearZero32(693961), fromDaysSinceYearZero32(693960), fromDaysSinceYearZero32(719528), fromDaysSinceYearZero32(4000000), fromDaysSinceYearZero32(18446744073709551615);
-- error: ARGUMENT_OUT_OF_BOUND
SELECT fromDaysSinceYearZero32(-1);
-- error: ARGUMENT_OUT_OF_BOUND
SELECT fromDaysSinceYearZero(-1);
SELECT hiveHash([]), javaHash([]), javaHashUTF16LE([]), javaHash(materialize([])), javaHash(map()), javaHash(), hiveHash();
SELECT sqr(toIPv6('::2')) AS x, toTypeName(x), sqr(toIPv4('1.2.3.4')) AS y, toTypeName(y), sqr(materialize(toIPv6('::ffff')));
SELECT toDayOfMonth(INTERVAL 2 DAY) AS x, toTypeName(x), toYear(INTERVAL 2 YEAR), toQuarter(INTERVAL 3 QUARTER), toMonth(INTERVAL 2 MONTH), toISOWeek(INTERVAL 2 WEEK), toHour(INTERVAL 2 HOUR), toMinute(INTERVAL 2 MINUTE), toSecond(INTERVAL 3 SECOND), toMillisecond(INTERVAL 3 MILLISECOND), toMicrosecond(INTERVAL 3 MICROSECOND), toNanosecond(INTERVAL 3 NANOSECOND);
SELECT toYear(materialize(INTERVAL -2 YEAR)), DAY(INTERVAL 3 DAY), EXTRACT(DAY FROM INTERVAL 3 DAY), EXTRACT(WEEK FROM INTERVAL 3 WEEK), toTypeName(toYear(toNullable(INTERVAL 2 YEAR)));
-- error: ILLEGAL_TYPE_OF_ARGUMENT
SELECT toDayOfMonth(INTERVAL 2 MONTH);
-- error: ILLEGAL_TYPE_OF_ARGUMENT
SELECT toDayOfMonth(INTERVAL 2 DAY, 'UTC');
SELECT toLowCardinality(INTERVAL 2 DAY) AS x, toTypeName(x);
SELECT finalizeAggregation(NULL) AS a, toTypeName(a), globalVariable(NULL) AS b, toTypeName(b), timeSeriesIdToGroup(NULL) AS c, toTypeName(c), timeSeriesIdToTags(NULL) AS d, toTypeName(d);
SELECT snowflakeIDToDateTime(18446744073709551615, 0, 'UTC'), snowflakeIDToDateTime(18446744073709551615, 5000, 'UTC'), snowflakeIDToDateTime(7204436857747984384, 0, 'UTC');
SELECT arrayMap(t -> (t.1, t.2, toString(t.3)), tokenizeQuery('a//b\nc')), arrayMap(t -> (t.1, t.2, toString(t.3)), tokenizeQuery('/x')), arrayMap(t -> (t.1, t.2, toString(t.3)), tokenizeQuery('//'));
SELECT length(concat(toFixedString('ab', 3))), length(concat(materialize(toFixedString('ab', 3)))), length(concat(toLowCardinality(toFixedString('ab', 3)))), length(concat(toFixedString('ab', 3), 'x')), length(concat(toNullable(toFixedString('ab', 3))));
SELECT deltaSum(x) AS y, toTypeName(y) FROM (SELECT arrayJoin([toInt128(5), toInt128(9), toInt128(1), toInt128(4)]) AS x);
SELECT deltaSum(x) AS y, toTypeName(y) FROM (SELECT arrayJoin([toInt256(-5), toInt256(9)]) AS x);
SELECT deltaSum(x) AS y, toTypeName(y), deltaSumMerge(s) FROM (SELECT x, deltaSumState(x) AS s FROM (SELECT arrayJoin([toUInt128(5)]) AS x) GROUP BY x);
SELECT sumKahan(x) AS y, toTypeName(y) FROM (SELECT arrayJoin([toDecimal64('1.23', 2), toDecimal64('4.5', 2)]) AS x);
SELECT sumKahan(x) AS y, toTypeName(y) FROM (SELECT arrayJoin([toDecimal256('1.5', 1)]) AS x);
SELECT sumKahan(x) AS y, toTypeName(y) FROM values('x Nullable(Decimal(9, 2))', (1.23), (NULL));
SELECT analysisOfVariance(x, x) FROM (SELECT arrayJoin([true, false, true]) AS x);
SELECT round(analysisOfVariance(x, y).1, 6), round(analysisOfVariance(x, y).2, 6) FROM values('x Float64, y Bool', (1, true), (0, false), (2, false), (3, true));
SELECT quantileInterpolatedWeighted(x, w) FROM values('x Int16, w UInt8', (-1, 2), (5, 1), (2, 1));
SELECT quantileInterpolatedWeighted(x, w) FROM values('x Int128, w UInt8', (5, 1), (-7, 2));
SELECT quantileInterpolatedWeighted(0.3)(x, w), quantileInterpolatedWeighted(0.9)(x, w), quantileInterpolatedWeighted(0.61)(x, w) FROM values('x Float64, w UInt8', (1.3, 1), (2.7, 3), (9.1, 2), (10.77, 7), (33.3, 5));
SELECT studentTTest(x, x) FROM (SELECT arrayJoin([true, false, true]) AS x);
SELECT studentTTest(0.95)(x, y) FROM values('x Float64, y UInt8', (1, 0), (1, 0), (2, 1));
SELECT entropy(x) FROM (SELECT arrayJoin([1.5, 2.5, nan]) AS x);
SELECT entropy(x), entropy(x, x) FROM (SELECT arrayJoin([toFloat32(nan), 1, 2, 3]) AS x);
SELECT regr_avgx(y, x), regr_avgy(y, x), regr_sxx(y, x), regr_syy(y, x), regr_sxy(y, x), regr_slope(y, x), regr_intercept(y, x), regr_r2(y, x), regr_count(y, x) FROM values('y Int8, x UInt8', (-1, 2), (5, 1), (2, 1));
SELECT regr_avgx(y, x), regr_avgy(y, x), regr_sxx(y, x), regr_syy(y, x), regr_sxy(y, x), regr_slope(y, x), regr_intercept(y, x), regr_r2(y, x), regr_count(y, x) FROM values('y Float64, x Float64', (1.7, 3.3), (1.7, 4.3));
SELECT regr_avgx(y, x), regr_avgy(y, x), regr_sxx(y, x), regr_syy(y, x), regr_sxy(y, x), regr_slope(y, x), regr_intercept(y, x), regr_r2(y, x), regr_count(y, x) FROM values('y Float64, x Float64', (1.7, 3.3), (nan, 4.3));
SELECT regr_avgx(y, x), regr_avgy(y, x), regr_sxx(y, x), regr_syy(y, x), regr_sxy(y, x), regr_slope(y, x), regr_intercept(y, x), regr_r2(y, x), regr_count(y, x) FROM values('y Float64, x Float64', (1.7, 3.3));
SELECT regr_avgx(y, x), regr_avgy(y, x), regr_sxx(y, x), regr_syy(y, x), regr_sxy(y, x), regr_slope(y, x), regr_intercept(y, x), regr_r2(y, x), regr_count(y, x) FROM values('y Float64, x Float64', (1.7, 3.3)) WHERE y > 2;
-- Far from zero and near to one another.
SELECT round(regr_slope(y, x), 6), round(regr_r2(y, x), 6), round(regr_sxx(y, x), 3) FROM (SELECT 1700000000. + number AS x, 3 * number + 1 AS y FROM numbers(100));
SELECT round(regr_slopeMerge(s), 6), round(regr_avgxMerge(a), 3), round(regr_sxxMerge(q), 3) FROM (SELECT number % 7 AS k, regr_slopeState(3. * number, 1700000000. + number) AS s, regr_avgxState(3. * number, 1700000000. + number) AS a, regr_sxxState(3. * number, 1700000000. + number) AS q FROM numbers(100) GROUP BY k);
