CREATE TABLE daily (id UInt32, i Int8, n Nullable(Int32), s String, f FixedString(4), u UInt64, t DateTime('UTC'), b DateTime('Europe/Berlin'), d Date) ENGINE = MergeTree ORDER BY id;
INSERT INTO daily VALUES (1, 5, 5, '1', 'ab', 10, '2024-01-01 00:30:00', '2024-01-01 01:30:00', '2024-02-29'), (2, -128, NULL, '', '', 0, '2024-03-10 12:00:00', '2024-03-10 13:00:00', '2024-01-31'), (3, 0, 0, 'x', 'abcd', 1, '2024-01-01 23:00:00', '2024-01-02 09:00:00', '2023-12-31');

-- AND and OR compute what may fail for the rows that are left.
SELECT id, i != 0 AND intDiv(100, i) > 0 AS x, toTypeName(x) FROM daily ORDER BY id;
SELECT id, i = 0 OR 100 % i = 0 AS x FROM daily ORDER BY id;
SELECT id FROM daily WHERE s != '' AND s != 'x' AND toInt32(s) = 1;
SELECT id FROM daily WHERE s NOT IN ('', 'x') AND toInt32(s) = 1;
SELECT id FROM daily WHERE (s = '1' AND toInt32(s) = 1) OR (s = 'x' AND id = 3) ORDER BY id;
SELECT id, s = '1' AND toUInt8(s) FROM daily ORDER BY id;
SELECT count() FROM daily WHERE n IS NOT NULL AND n != 0 AND 10 % n = 0;
SELECT id, n AND intDiv(10, i) FROM daily WHERE i != 0 ORDER BY id;
SELECT id FROM daily WHERE i = 0 OR s = '' OR toInt32(s) = 1 ORDER BY id;
-- error: ILLEGAL_DIVISION
SELECT intDiv(100, i) > 0 AND i != 0 FROM daily;

-- Members that may be NULL.
SELECT id, i IN (n, 5) AS x, toTypeName(x), i NOT IN (n, 5), i IN (n), n IN (i, 0), s IN (s, 'x') FROM daily ORDER BY id;
SELECT id FROM daily WHERE i IN (n, 5) ORDER BY id;
SELECT id, CASE n WHEN 5 THEN 1 WHEN NULL THEN 2 ELSE 3 END, transform(n, [NULL, 5], ['null', 'five'], 'other') FROM daily ORDER BY id;

-- FixedString among the arms of several conditions.
SELECT id, hex(multiIf(i = 5, f, i = 0, s, 'x')), hex(if(i = 5, f, s)), hex(CASE i WHEN 5 THEN f ELSE s END), hex(CASE i WHEN 5 THEN f WHEN 0 THEN s END) FROM daily ORDER BY id;

-- Calls as people write them.
SELECT id, tuple(i, n).2, tuple(i, s).1, tuple(s).1 FROM daily ORDER BY id;
SELECT id, -(i, 2), -(1, 2.5) FROM daily WHERE id = 1;
SELECT timestamp_sub(year, 1, t), timestamp_add(MONTH, 1, d), TIMESTAMP_ADD(DAY, 1, d) FROM daily WHERE id = 1;

CREATE TABLE daily_maps (id UInt32, a Map(Int8, Nullable(String)), b Map(Int8, String)) ENGINE = Memory;
INSERT INTO daily_maps VALUES (1, {1: 'x', 2: NULL}, {}), (2, {-1:'y',-1:'z'}, {5:'q'}), (1 + 2, {7 : 'a'}, {});
INSERT INTO daily_maps (id, b) VALUES (4, {1:'x:y',2:'{3:4}'});
SELECT * FROM daily_maps ORDER BY id;

-- Dates.
SELECT id, dateDiff('hour', t, b), age('hour', t, b), dateDiff('hour', b, b + 7200), dateDiff('minute', t, b) FROM daily ORDER BY id;
SELECT age('week', toDate('2024-02-29'), toDate('2024-02-14')), age('week', toDate('2024-02-14'), toDate('2024-02-29')), age('week', toDate('2024-03-10'), toDate('2024-02-29')), age('week', toDate('2024-01-01'), toDate('2024-01-08'));
SELECT age('millisecond', toDateTime64('2024-01-02 00:00:00', 6, 'UTC'), toDateTime64('2024-01-01 00:00:00.000001', 6, 'UTC')), age('millisecond', toDateTime64('2024-01-01 00:00:00.5', 6, 'UTC'), toDateTime64('2024-01-02 00:00:00', 6, 'UTC'));
SELECT changeYear(toDate('2024-02-29'), 2023), changeMonth(d, 2), changeMonth(d, 4), changeDay(toDate('2024-02-10'), 30), changeDay(toDate('2024-04-10'), 31), changeDay(d, 32) FROM daily ORDER BY id;
SELECT s, parseDateTimeOrNull(s, '%Y-%m-%d %H:%i:%s', 'UTC'), parseDateTimeOrNull(s, '%e %m %Y', 'UTC'), parseDateTimeOrNull(s, '%Y %c', 'UTC') FROM (SELECT arrayJoin(['2024-02-09 01:02:03', '2024-2-9 1:2:3', '9 02 2024', ' 9 02 2024', '09 02 2024', '9 2 2024', '2024 2', '2024 12']) AS s);
SELECT s, parseDateTimeOrNull(s, '%k:%i', 'UTC'), parseDateTimeOrNull(s, '%l:%i', 'UTC'), parseDateTimeOrNull(s, '%H:%i', 'UTC'), parseDateTimeOrNull(s, '%I:%i', 'UTC') FROM (SELECT arrayJoin(['9:30', '09:30', '12:05', '13:05']) AS s);
SELECT s, parseDateTimeOrNull(s, '%V', 'UTC'), parseDateTimeOrNull(s, '%G', 'UTC'), parseDateTimeOrNull(s, '%g', 'UTC') FROM (SELECT arrayJoin(['9', '09', '24', '2024']) AS s);
SELECT parseDateTimeOrNull('2024-09', '%Y-%V', 'UTC'), parseDateTimeOrNull('2024-09-3', '%Y-%V-%u', 'UTC'), parseDateTimeOrNull('2024-3', '%Y-%u', 'UTC'), parseDateTimeOrNull('2024-3', '%G-%u', 'UTC'), parseDateTimeOrNull('2021 05', '%G %m', 'UTC'), parseDateTimeOrNull('2021-05', '%G-%V', 'UTC'), parseDateTimeOrNull('2024-09-04', '%G-%V-%d', 'UTC'), parseDateTimeInJodaSyntaxOrNull('2024 9', 'yyyy w', 'UTC'), parseDateTimeInJodaSyntaxOrNull('2024 3', 'xxxx e', 'UTC');
-- error: NOT_IMPLEMENTED
SELECT formatDateTime(t, '%U') FROM daily;
-- error: NOT_IMPLEMENTED
SELECT formatDateTimeInJodaSyntax(t, 'ccc') FROM daily;
SELECT formatDateTimeInJodaSyntax(t, 'x xx xxxx xxxxx') FROM daily ORDER BY id;
SELECT s, parseDateTimeBestEffortOrNull(s, 'UTC') FROM (SELECT arrayJoin(['2024-02-29 12:34:56 GMT+3', '2024-02-29 12:34:56 GMT+0330', '2024-02-29 12:34:56 GMT-03:30', '2024-02-29 12:34:56 UTC+2', '2024-02-29 12:34:56UTC+0200', '2024-02-29 12:34:56 MSK+1', '2024-02-29 12:34:56 Z+3', '2024-02-29 12:34:56 MSK']) AS s);
SELECT parseDateTimeBestEffort(toFixedString('Feb 29 2024', 19), 'UTC'), parseDateTime64BestEffort(toFixedString('1709210096.123', 19), 3, 'UTC'), parseDateTimeBestEffortUSOrNull(toFixedString('1/2/24', 10), 'UTC');

-- Arrays.
SELECT arrayProduct(emptyArrayFloat64()), arrayProduct(emptyArrayUInt8()), arrayProduct(x -> x, emptyArrayInt32()), arrayProduct([2, 3]);
SELECT arrayCompact(x -> x % 2, [1, 3, 2, 4, 5]), arrayCompact((x, y) -> y, ['a', 'b', 'c'], [1, 1, 2]), arrayCompact(x -> lower(x), ['a', 'A', 'b']), arrayCompact([1, 1, 2, 2, 1]);
SELECT arrayDifference([d, toDate('2024-01-01')]) AS x, toTypeName(x) FROM daily ORDER BY id;
SELECT arrayDifference([t, toDateTime('2024-01-01 00:00:01', 'UTC')]) AS x, toTypeName(x) FROM daily ORDER BY id;
SELECT dotProduct([2147483647], [2147483647]), dotProduct([toInt64(9007199254740993)], [1]), dotProduct([toUInt64(18446744073709551615)], [2]), dotProduct([toUInt8(200)], [toInt8(-2)]) AS x, toTypeName(x);
SELECT L1Norm(emptyArrayFloat64()), L2Norm(emptyArrayFloat64()), L2SquaredNorm(emptyArrayFloat64()), L1Distance(emptyArrayFloat64(), emptyArrayFloat64()), L2Distance(emptyArrayFloat64(), emptyArrayFloat64());
SELECT L2Distance(v, w) AS x, toTypeName(x), L1Distance(v, w), LinfDistance(v, w), L2SquaredDistance(v, w), dotProduct(v, w) AS y, toTypeName(y), toTypeName(cosineDistance(v, w)), L2Norm(v), toTypeName(L2Norm(v)), toTypeName(L2Distance(v, [1, 2])), toTypeName(L2Distance(v, [1.5, 2])) FROM (SELECT [toFloat32(3), toFloat32(4.5)] AS v, [toFloat32(1), toFloat32(2.25)] AS w);

-- Addresses.
SELECT isIPAddressInRange(toIPv4(a), '1.2.0.0/16'), isIPAddressInRange(toIPv6(a), '1.2.0.0/16'), isIPAddressInRange(toIPv6(a), '::ffff:1.2.0.0/112'), isIPAddressInRange(toNullable(toIPv4(a)), concat('1.0.0.0/', '8')) FROM (SELECT arrayJoin(['1.2.3.4', '1.3.0.0', '10.0.0.1']) AS a);
-- error: CANNOT_PARSE_TEXT
SELECT isIPAddressInRange(toIPv4('1.2.3.4'), '1.2.3.4');

-- JSON.
SELECT JSONExtract('{"a":["x","y"]}', 'a', 'Array(Int8)'), JSONExtract('{"a":["x",1]}', 'a', 'Array(Int8)'), JSONExtract('[1,2]', 'Array(Tuple(k Int8,v String))'), JSONExtract('[1,{"k":5}]', 'Array(Tuple(k Int8,v String))'), JSONExtract('[null,null]', 'Array(Int8)'), JSONExtract('[null,null]', 'Array(Nullable(Int8))'), JSONExtract('[1,2]', 'Array(Map(String,Int8))'), JSONExtract('[{}, 1]', 'Array(Map(String,Int8))'), JSONExtract('[[1],"x"]', 'Array(Array(Int8))'), JSONExtract('["x"]', 'Array(Nullable(Int8))');
SELECT JSONExtract('{"a":1}', 'Nullable(Tuple(x Int8))'), JSONExtract('{"x":null}', 'Nullable(Tuple(x Int8))'), JSONExtract('{"x":null}', 'Nullable(Tuple(x Nullable(Int8)))'), JSONExtract('{"a":1}', 'Nullable(Tuple(x Nullable(Int8)))');
SELECT JSONExtract('{"a":"first","a":"second","b":1}', 'Tuple(a String, b Int8)');
SELECT s, JSONExtract(s, 'Bool'), JSONExtractBool(s), JSONExtract(s, 'Nullable(Bool)') FROM (SELECT arrayJoin(['1', '0', '2', '255', '256', '-1', '1.0', '1.5', '0.5', 'true', 'false', '"1"', '"true"', '"0"', '"12"', '"x"', 'null', '1e300', '18446744073709551615']) AS s);
SELECT JSONExtract('true', 'Decimal(10,2)'), JSONExtract('true', 'Float64'), JSONExtract('true', 'Int8');

-- URLs.
SELECT s, protocol(s), domainRFC(s), portRFC(s), queryStringAndFragment(s) FROM (SELECT arrayJoin(['a:b', 'mailto:a@b.c', 'javascript:alert(1)', 'tel:+123456', 'example.com:80', 'http:/x', 'http://', 'http://[::1]:80/z?k#f?g=1', 'http://u@[::1]:5/', 'http://x.com#h=1&y=2', 'http://x.com/a#b?c=1&d']) AS s);
SELECT s, extractURLParameters(s), extractURLParameterNames(s) FROM (SELECT arrayJoin(['http://x.com/?a&b=1&&c=2#d=3&e', 'http://x.com/a?b', 'http://x.com/a?b&', 'http://x.com/a?=1', 'http://x.com/a#b?c=1&d', 'http://a.b//c//d??e##f', '']) AS s);
SELECT s, URLHierarchy(s), URLPathHierarchy(s) FROM (SELECT arrayJoin(['http://x.com/a?b', '//a/b', 'http:///x', 'svn+ssh://a.b/c', 'ht1://a.b/c/d', 'http://a.b//c//d??e##f', 'about:blank', 'HTTP://X.com/a', 'https://t.me/x/y//w/?a=b;c=d', 'http://x.com?y=1', '', 'https://a.b/?']) AS s);

-- Texts.
SELECT printf('%g', x), printf('%.3g', x), printf('%G', x), printf('%10g|', x), printf('%-12g|', x), printf('%+g', x) FROM (SELECT arrayJoin([0.0, 1e-5, 0.0001, 123456.0, 1234567.0, 1e100, -2.5, 0.1 + 0.2, 100000.0, inf, nan]) AS x);
SELECT printf('%#x|%#o|%lld|%ld|%hd|%llu|% d', 255, 8, 7, 7, 7, 7, 5);
-- error: INDEX_OF_POSITIONAL_ARGUMENT_IS_OUT_OF_RANGE
SELECT leftPad(s, i) FROM daily;
