SELECT in(1, (1, 2)), notIn(1, [1, 2]), globalIn(1, (1, 2)), nullIn(NULL, (1, NULL)), notNullIn(1, (2, NULL)), globalNullIn(2, (1, NULL)), globalNotNullIn(NULL, (1, NULL)), nullIn(1, 1), inIgnoreSet(1, (1, 2)), toTypeName(inIgnoreSet(1, (1, 2))), notInIgnoreSet(1, (1, 2)), inIgnoreSet(NULL, (1, 2)), nullInIgnoreSet(1, (1, 2));
SELECT nullIn(if(number = 1, NULL, number), (2, NULL)) FROM numbers(3);
SELECT nullIn(toNullable(number), (SELECT toNullable(1) UNION ALL SELECT NULL)), notNullIn(number, (SELECT NULL)), toTypeName(nullIn(NULL, (1, NULL))) FROM numbers(3);
SELECT indexHint(1), toTypeName(indexHint(1)), indexHint(), indexHint('a', 2);
SELECT getSubcolumn([1, 2], 'size0'), getSubcolumn(map('a', 1), 'values'), getSubcolumn(tuple(1, 2), '1'), getSubcolumn(toNullable(1), 'null'), getSubcolumn(tuple(1, 'x')::Tuple(a UInt8, b String), 'b'), getSubcolumn([toNullable(1)], 'null'), getSubcolumn([[1], [2, 3]], 'size1'), getSubcolumn('abc', 'size'), getSubcolumn(map('a', 1, 'b', 2), 'keys'), toTypeName(getSubcolumn([[1], [2, 3]], 'size1')), toTypeName(getSubcolumn([1, 2], 'size0')), toTypeName(getSubcolumn(toNullable(1), 'null'));
-- error: ILLEGAL_COLUMN
SELECT getSubcolumn([1, 2], 'nope');
-- error: ILLEGAL_COLUMN
SELECT getSubcolumn([1, 2], 1);
SELECT flattenTuple(tuple(1, (2, 3))::Tuple(a UInt8, b Tuple(c UInt8, d UInt8))), toTypeName(flattenTuple(tuple(1, (2, 3))::Tuple(a UInt8, b Tuple(c UInt8, d UInt8)))), toTypeName(flattenTuple(tuple([(1, 2)])::Tuple(t Array(Tuple(x UInt8, y UInt8))))), flattenTuple(tuple([(1, 2)])::Tuple(t Array(Tuple(x UInt8, y UInt8))));
-- error: ILLEGAL_TYPE_OF_ARGUMENT
SELECT flattenTuple((1, (2, 3)));
-- error: ILLEGAL_TYPE_OF_ARGUMENT
SELECT flattenTuple(1);
SELECT mapPartialSort(2, map('k1', 3, 'k2', 1, 'k3', 2)), mapPartialSort(10, map('b', 3, 'a', 1)), mapPartialReverseSort(3, map('a', 1, 'c', 2, 'b', 3));
SELECT JSONMergePatch('{"a":1}', '{"name":"joey"}', '{"name":"tom"}', '{"name":"zoey"}'), JSONMergePatch('{"a":{"b":1}}', '{"a":{"c":2}}'), JSONMergePatch('{"a":1,"b":2}', '{"a":null}'), JSONMergePatch('{"a":1}'), toTypeName(JSONMergePatch('{}')), JSONMergePatch('{"a":1.50,"z":"é\\u00e9/"}', '{}'), JSONMergePatch('{"a":null}'), JSONMergePatch('{}', '{"a":{"b":null}}'), JSONMergePatch('{"a":[1]}', '{"a":{"b":1}}'), jsonMergePatch('{"a" : 1 }');
SELECT JSONMergePatch('{"b":1,"a":2}', '{"b":3,"c":1,"a":5}'), JSONMergePatch('{"x":{"y":{"z":1}}}', '{"x":{"y":null}}'), JSONMergePatch('{"a":"\\t\\u0001"}', '{}'), JSONMergePatch('{"a":true,"d":-5,"f":0.1}', '{}');
-- error: BAD_ARGUMENTS
SELECT JSONMergePatch('[1]', '{"a":1}');
-- error: BAD_ARGUMENTS
SELECT JSONMergePatch('{');
-- error: ILLEGAL_TYPE_OF_ARGUMENT
SELECT JSONMergePatch(1);
-- error: NUMBER_OF_ARGUMENTS_DOESNT_MATCH
SELECT JSONMergePatch();
SELECT prettyPrintJSON('{"a":1,"b":[1,2,{}],"c":{},"d":[]}'), prettyPrintJSON('{"a":1.50}', 2), prettyPrintJSON('[]'), prettyPrintJSON('"x"'), prettyPrintJSON('{"a":"é\\u00e9"}', 0), toTypeName(prettyPrintJSON('1')), prettyPrintJSON(' [1 , 2] ', 1), prettyPrintJSON('{"b":"a/b\\u0001","c":[[]]}');
-- error: BAD_ARGUMENTS
SELECT prettyPrintJSON('{');
-- error: BAD_ARGUMENTS
SELECT prettyPrintJSON('{}', 33);
-- error: ILLEGAL_TYPE_OF_ARGUMENT
SELECT prettyPrintJSON('{}', -1);
SELECT colorSRGBToOKLCH((128, 64, 32), 2.2), colorSRGBToOKLCH((128, 64, 32)), colorOKLCHToSRGB((0.4436238384931984, 0.1044269954567863, 45.90734548193018)), colorSRGBToOKLAB((128, 64, 32)), colorOKLABToSRGB((0.44, 0.07, 0.07)), toTypeName(colorSRGBToOKLCH((1, 2, 3))), colorSRGBToOKLCH((0, 0, 0)), colorOKLCHToSRGB((0.5, 0.1, 200), 2), colorSRGBToOKLAB((255, 255, 255)), colorSRGBToOKLCH((10.5, 200, 0)), colorOKLCHToSRGB((0.9, 0.4, 200)), colorSRGBToOKLCH((1, 2, 3), 0);
SELECT colorSRGBToOKLAB((128, 64, 32), 2.4), colorOKLABToSRGB((0.5, -0.1, 0.05), 1.8), colorOKLCHToSRGB((0.7, 0, 0)), colorSRGBToOKLCH((number, 2, 3), number + 1) FROM numbers(2);
-- error: ILLEGAL_TYPE_OF_ARGUMENT
SELECT colorSRGBToOKLCH((1, 2));
-- error: ILLEGAL_TYPE_OF_ARGUMENT
SELECT colorSRGBToOKLCH(('a', 2, 3));
SELECT parseISO8601Duration('P1DT2H3M4.5S'), parseISO8601Duration('PT1H'), parseISO8601Duration('P1W'), toTypeName(parseISO8601Duration('PT1S')), parseISO8601Duration('PT0S'), parseISO8601Duration('PT0.001S'), parseISO8601Duration('P2DT30M'), parseISO8601Duration(toNullable('PT1S')), parseISO8601Duration('PT1.5H'), parseISO8601Duration('P1.5D'), parseISO8601Duration('P1W1D'), parseISO8601Duration('PT1M1.5S'), parseISO8601Duration('PT0.123456789123S');
-- error: BAD_ARGUMENTS
SELECT parseISO8601Duration('P1Y');
-- error: BAD_ARGUMENTS
SELECT parseISO8601Duration('PT');
-- error: BAD_ARGUMENTS
SELECT parseISO8601Duration('P1DT');
-- error: BAD_ARGUMENTS
SELECT parseISO8601Duration('PT1S1M');
-- error: ILLEGAL_TYPE_OF_ARGUMENT
SELECT parseISO8601Duration(1);
SELECT financialNetPresentValue(0.08, [-10000, 3000, 4200, 6800]), financialNetPresentValue(0.08, [-10000, 3000, 4200, 6800], false), financialInternalRateOfReturn([-100, 39, 59, 55, 20]), financialInternalRateOfReturn([-100, 39, 59, 55, 20], 0.1), financialInternalRateOfReturn([1.]), financialInternalRateOfReturn([0., 0.]), financialInternalRateOfReturnExtended([-10000, 5750, 4250, 3250], [toDate('2025-01-01'), toDate('2025-03-01'), toDate('2025-10-30'), toDate('2026-02-15')]), financialInternalRateOfReturnExtended([-100000, 110000], [toDate('2020-01-01'), toDate('2021-01-01')], 0.1, 'ACT_365_25'), financialNetPresentValueExtended(0.1, [-10000., 5750., 4250., 3250.], [toDate('2025-01-01'), toDate('2025-03-01'), toDate('2025-10-30'), toDate('2026-02-15')]), financialNetPresentValueExtended(0.1, [-10000., 5750.], [toDate32('2025-01-01'), toDate32('2025-03-01')], 'ACT_365_25'), financialNetPresentValueExtended(0.1, [1., 2.], [toDate('2025-02-01'), toDate('2025-01-01')]);
SELECT financialNetPresentValue(number / 10, [-1, 2]) FROM numbers(3);
-- error: ILLEGAL_TYPE_OF_ARGUMENT
SELECT financialNetPresentValue(0.1, []::Array(Float64));
-- error: ILLEGAL_TYPE_OF_ARGUMENT
SELECT financialNetPresentValueExtended(0.1, [1., 2.], [toDate('2025-01-01')]);
-- error: ILLEGAL_TYPE_OF_ARGUMENT
SELECT financialNetPresentValue(0.1, [1]::Array(UInt8));
SELECT sqidEncode(1), sqidEncode(1, 2, 3), sqid(1, 2), sqidDecode('86Rf07'), sqidDecode(sqidEncode(1, 2, 3, 4, 5)), sqidDecode('!!'), toTypeName(sqidDecode('a')), sqidDecode(''), sqidEncode(18446744073709551615), sqidEncode(number), sqidEncode(toNullable(1)) FROM numbers(3);
-- error: ILLEGAL_TYPE_OF_ARGUMENT
SELECT sqidEncode(-1);
-- error: NUMBER_OF_ARGUMENTS_DOESNT_MATCH
SELECT sqidEncode();
SELECT hilbertEncode(3, 4), hilbertEncode((10, 6), 1024, 16), hilbertEncode(1), hilbertDecode(2, 31), hilbertDecode(1, 1), hilbertDecode((0, 1), 15), toTypeName(hilbertEncode(1, 2)), toTypeName(hilbertDecode(2, 1)), hilbertEncode(4294967295, 4294967295), hilbertDecode(2, 18446744073709551615), hilbertEncode(number, number + 7), hilbertDecode(2, number * 1000003), hilbertEncode(4294967296, 1), hilbertEncode((1, 2), 1, 2), hilbertDecode((1, 2), 24), hilbertEncode(tuple(2), 128), hilbertDecode(tuple(2), 128) FROM numbers(3);
-- error: TOO_MANY_ARGUMENTS_FOR_FUNCTION
SELECT hilbertEncode(1, 2, 3);
-- error: ARGUMENT_OUT_OF_BOUND
SELECT hilbertDecode(3, 1);
-- error: ILLEGAL_TYPE_OF_ARGUMENT
SELECT hilbertEncode(-1, 1);
-- error: ARGUMENT_OUT_OF_BOUND
SELECT hilbertEncode((33, 0), 1, 2);
SELECT tumble(toDateTime('2020-01-09 12:00:01', 'Europe/Berlin'), toIntervalDay(1)), tumble(toDateTime('2020-01-09 12:00:01', 'UTC'), toIntervalHour(5)), tumbleStart(toDateTime('2020-01-09 12:00:01', 'UTC'), toIntervalWeek(1)), hop(toDateTime('2020-01-09 12:00:01', 'UTC'), toIntervalDay(1), toIntervalDay(3)), hop(toDateTime('2020-01-09 12:07:01', 'UTC'), toIntervalMinute(5), toIntervalMinute(12)), tumble(toDateTime('2020-01-09 12:00:01', 'UTC'), toIntervalDay(2)), tumbleEnd(toDateTime('2020-01-09 12:00:01', 'UTC'), toIntervalDay(1), 'Asia/Tokyo');
SELECT tumble(toDateTime('2020-03-09 12:00:01', 'UTC'), toIntervalMonth(1)), toTypeName(tumble(toDateTime('2020-03-09 12:00:01', 'UTC'), toIntervalMonth(1))), toTypeName(tumble(toDateTime('2020-01-09 12:00:01', 'UTC'), toIntervalDay(1))), toTypeName(tumbleStart(toDateTime('2020-01-09 12:00:01'), toIntervalDay(1))), hopStart(toDateTime('2020-01-09 12:00:01', 'UTC'), toIntervalSecond(1), toIntervalSecond(3)), hopEnd(toDateTime('2020-01-09 12:00:01', 'UTC'), toIntervalSecond(1), toIntervalSecond(3));
-- error: ILLEGAL_TYPE_OF_ARGUMENT
SELECT tumble(toDate('2020-01-01'), toIntervalDay(1));
-- error: ARGUMENT_OUT_OF_BOUND
SELECT hop(toDateTime('2020-01-09 12:00:01', 'UTC'), toIntervalSecond(3), toIntervalSecond(1));
-- error: ILLEGAL_COLUMN
SELECT hop(toDateTime('2020-01-09 12:00:01', 'UTC'), toIntervalSecond(1), toIntervalMinute(1));
SELECT UUIDv7ToDateTime(dateTimeToUUIDv7(toDateTime('2021-08-15 18:57:56', 'UTC')), 'UTC'), substring(toString(dateTimeToUUIDv7(toDateTime('2021-08-15 18:57:56', 'UTC'))), 1, 15), toTypeName(dateTimeToUUIDv7(now()));
-- error: ILLEGAL_TYPE_OF_ARGUMENT
SELECT dateTimeToUUIDv7(1);
SELECT pgGetUserById(1), pg_get_userbyid(2::UInt32), pgTableIsVisible(1), pg_table_is_visible(7), toTypeName(pgGetUserById(1)), toTypeName(pgTableIsVisible(1));
SELECT runningConcurrency(a, b) FROM values('a DateTime, b DateTime', ('2020-01-01 00:00:00', '2020-01-01 00:00:10'), ('2020-01-01 00:00:05', '2020-01-01 00:00:07'), ('2020-01-01 00:00:08', '2020-01-01 00:00:12'));
SELECT runningConcurrency(a, b), toTypeName(runningConcurrency(a, b)) FROM values('a DateTime, b DateTime', ('2020-01-01 00:00:10', '2020-01-01 00:00:10'), ('2020-01-01 00:00:05', '2020-01-01 00:00:07'));
-- error: INCORRECT_DATA
SELECT runningConcurrency(a, b) FROM values('a Date, b Date', ('2020-01-03', '2020-01-02'));
-- error: ILLEGAL_TYPE_OF_ARGUMENT
SELECT runningConcurrency(1, 2);
SELECT count() FROM system.functions WHERE name IN ('arrayJoin', 'in', 'notIn', 'globalNotNullIn', 'getSetting', 'week', 'yearweek', 'user', 'unnest', 'indexHint');
SELECT week(toDate('2024-01-05')), yearweek(toDate('2024-01-05')), WEEK(toDate('2024-01-05')), hasThreadFuzzer(), user() = currentUser();
