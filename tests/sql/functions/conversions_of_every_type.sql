SELECT toInt8OrDefault(toDate('2024-02-29')), toInt8OrDefault(toDate('2024-02-29'), -3), toUInt8OrDefault(toDateTime('2024-05-17 13:37:42', 'UTC')), toUInt64OrDefault(toDate32('1950-01-01'));
SELECT toInt8OrDefault(toDecimal64('1.23', 2)), toInt32OrDefault(toDecimal128('-5.5', 1)), toInt64OrDefault(toDateTime64('2024-05-17 13:37:42.123', 3, 'UTC')), toFloat32OrDefault(toDateTime('2024-05-17 13:37:42', 'UTC'));
SELECT toUInt16OrDefault(toTime64('01:02:03.5', 3)), toInt8OrDefault(INTERVAL 300 DAY), toInt8OrDefault(300), toInt8OrDefault(1.5), toUInt8OrDefault(-3, 7::UInt8);
SELECT toDateOrDefault(1.5), toDateOrDefault(1.5, toDate('2024-02-29')), toDateOrDefault(2.), toDate32OrDefault(1.5), toDate32OrDefault(nan), toDateTimeOrDefault(1.5), toDateTimeOrDefault(-1.5);
SELECT toDateOrDefault(1700000000), toDate32OrDefault(1700000000), toDate32OrDefault(-3), toDateOrDefault(-3), toDateOrDefault(5000000000), toDateOrDefault(18446744073709551615), toDate32OrDefault(5000000000);
SELECT toDateOrDefault(toDate32('1950-01-01')), toDateOrDefault(toDate32('2200-01-01')), toDateTimeOrDefault(toDate32('1950-01-01'), 'UTC');
SELECT toIPv4OrDefault(1), toIPv4OrDefault(1.5), toIPv4OrDefault(true), toIPv4OrDefault(300, toIPv4('1.2.3.4')), toIPv6OrDefault(1), toIPv6OrDefault(toUInt128(5)), toIPv6OrDefault('::1'), toUUIDOrDefault(-7), toUUIDOrDefault(nan);
SELECT toIPv4OrDefault(materialize(toNullable(3))), toUUIDOrDefault(number), toIPv6OrDefault(number, toIPv6('::2')) FROM numbers(2);
SELECT toDecimal32OrDefault([1, 2], 1), toDecimal256OrDefault(map('k', 1), 2), toDecimal64OrDefault((1, 2), 1), toDateTime64OrDefault(['a'], 1, 'UTC'), toDateTime64OrDefault(INTERVAL 2 DAY, 2, 'UTC');
SELECT accurateCast(toDate('2024-02-29'), 'Int8'), accurateCast(toDecimal64('1.23', 2), 'Int8'), accurateCastOrNull(1.5, 'Date'), accurateCastOrNull(300, 'IPv4'), accurateCastOrNull([1], 'Decimal(9, 1)'), accurateCastOrDefault(1.5, 'Date32'), accurateCastOrDefault(300, 'IPv4');
-- error: CANNOT_CONVERT_TYPE
SELECT accurateCast(1.5, 'Date');
-- error: CANNOT_CONVERT_TYPE
SELECT accurateCast(nan, 'DateTime');
SELECT toUnixTimestamp(1), toUnixTimestamp(-7), toUnixTimestamp(18446744073709551615), toUnixTimestamp(1.5), toUnixTimestamp(-1.5), toUnixTimestamp(toDecimal64('1.23', 2)), toUnixTimestamp(toIPv4('1.2.3.4')), toUnixTimestamp(true);
SELECT toUnixTimestamp(toInt128(-5)), toUnixTimestamp(CAST('a', 'Enum8(\'a\' = -1)')), toUnixTimestamp(INTERVAL -2 DAY), toUnixTimestamp(toTime('01:02:03')), toUnixTimestamp(toNullable(3)), toTypeName(toUnixTimestamp(toNullable(3))), toUnixTimestamp(materialize(2), 'abc');
SELECT toUnixTimestamp(toDate('2024-02-29'), 'Asia/Tokyo'), toUnixTimestamp(toDate32('2024-02-29'), 'Asia/Tokyo'), toUnixTimestamp(toDateTime('2024-05-17 13:37:42', 'UTC'), 'Asia/Tokyo'), toUnixTimestamp('2024-05-17 13:37:42', 'Asia/Tokyo');
-- error: DECIMAL_OVERFLOW
SELECT toUnixTimestamp(toDecimal64('-1.23', 2));
-- error: ILLEGAL_TYPE_OF_ARGUMENT
SELECT toUnixTimestamp(1, 1);
-- error: ILLEGAL_TYPE_OF_ARGUMENT
SELECT toUnixTimestamp([1]);
SELECT toDateTime64OrNull(1), toDateTime64OrNull(-7), toDateTime64OrNull(5000000000), toDateTime64OrNull(18446744073709551615), toDateTime64OrNull(253402300799), toDateTime64OrNull(253402300800), toDateTime64OrNull(-62167219200), toDateTime64OrNull(-62167219201);
SELECT toDateTime64OrNull(true, 1), toDateTime64OrNull(300, 1, 'Asia/Tokyo'), toTypeName(toDateTime64OrNull(300, 1, 'Asia/Tokyo')), toDateTime64OrNull(materialize(toNullable(2)), 1);
SELECT toDateOrNull(1), toDateOrNull(-7), toDateOrNull(70000), toDateOrNull(1700000000), toDateOrNull(5000000000), toDateOrNull(18446744073709551615), toDateOrNull(true);
SELECT toDateTimeOrNull(1), toDateTimeOrNull(-7), toDateTimeOrNull(4294967295), toDateTimeOrNull(4294967296), toDateTimeOrNull(18446744073709551615), toDateTimeOrNull(true);
-- error: ILLEGAL_TYPE_OF_ARGUMENT
SELECT toDateTime64OrZero(1);
SELECT parseDateTime('2024-01-02 03:04:05'), parseDateTimeOrNull('2024-01-02 03:04:05'), parseDateTimeOrNull('abc'), parseDateTimeOrZero('2024-01-02 03:04:05.6'), str_to_date('2024-01-02 03:04:05'), parseDateTime(materialize('2024-01-02 03:04:05'));
SELECT parseDateTime64('2024-01-02 03:04:05.678901'), parseDateTime64('2024-01-02 03:04:05.6'), parseDateTime64OrNull('2024-01-02 03:04:05'), parseDateTime64OrZero('2024-01-02 03:04:05');
SELECT parseDateTimeInJodaSyntax('2024-01-02 03:04:05'), parseDateTimeInJodaSyntaxOrNull('2024-01-02 03:04:05.6'), parseDateTimeInJodaSyntaxOrZero('abc');
SELECT parseDateTime64InJodaSyntax('2024-01-02 03:04:05'), parseDateTime64InJodaSyntaxOrNull('2024-01-02 03:04:05.6'), parseDateTime64InJodaSyntaxOrZero('2024-01-02 03:04:05'), parseDateTime64InJodaSyntax('2024', 'yyyy'), parseDateTime64InJodaSyntax('2024-01-02 03:04:05.678', 'yyyy-MM-dd HH:mm:ss.SSS');
-- error: CANNOT_PARSE_DATETIME
SELECT parseDateTime('2024-01-02 03:04:05.6');
-- error: CANNOT_PARSE_DATETIME
SELECT parseDateTime64('2024-01-02 03:04:05');
SELECT parseDateTimeBestEffort('2024-01-02 03:04:05.678', 1), parseDateTimeBestEffort('2024-01-02 03:04:05.678', 1, 'Asia/Tokyo'), parseDateTimeBestEffort('2024-01-02 03:04:05.678', 0), parseDateTimeBestEffort('1950-01-02 03:04:05.678', 3), parseDateTimeBestEffort('2024-01-02 03:04:05.678', 'Asia/Tokyo');
SELECT parseDateTimeBestEffortOrNull('abc', 1), parseDateTimeBestEffortOrNull('2024-01-02', 1), parseDateTimeBestEffortOrZero('abc', 1, 'UTC'), toTypeName(parseDateTimeBestEffortOrNull('abc', 1)), toTypeName(parseDateTimeBestEffort('2024-01-02', 2, 'Asia/Tokyo'));
-- error: ILLEGAL_TYPE_OF_ARGUMENT
SELECT parseDateTimeBestEffortUS('2024-01-02', 1);
-- error: ILLEGAL_TYPE_OF_ARGUMENT
SELECT parseDateTime32BestEffort('2024-01-02', 1);
SELECT toTime(toDate('2024-02-29')), toTime(toDate32('1950-01-01')), toTime64(toDate('2024-02-29'), 2), toTime(INTERVAL 2 DAY), CAST(toDate('2024-02-29') AS Time);
SELECT toTime(1, 1), toTime(-3, toUInt64(2)), toTime(1.5, 1), toTime('01:02:03.5', 1), toTime(toDate('2024-02-29'), 1), toTime(toDateTime64('2024-05-17 13:37:42.123', 3, 'UTC'), 1), toTypeName(toTime(1, 0)), toTypeName(toTime(1, 2)), toTypeName(toTime(toNullable(3), 1));
SELECT timezoneOffset(toDateTime('2024-05-17 13:37:42', 'UTC'), 'Asia/Tokyo'), timeZoneOffset(toDateTime64('2024-05-17 13:37:42.123', 3, 'Asia/Tokyo'), 'America/New_York'), timezoneOffset(toDateTime('2024-05-17 13:37:42', 'Asia/Tokyo'));
SELECT YYYYMMDDToDate32(1), YYYYMMDDToDate32(-7), YYYYMMDDToDate32(20241301), YYYYMMDDToDate32(18000101), YYYYMMDDToDate32(99991231), YYYYMMDDToDate32(20240230), YYYYMMDDToDate32(toNullable(3)), YYYYMMDDToDate32(20240115.5);
SELECT YYYYMMDDToDate(21490606), YYYYMMDDToDate(21490607), YYYYMMDDToDate(22000101), YYYYMMDDToDate(19691231), YYYYMMDDToDate(toDecimal64('20240115.7', 1));
SELECT YYYYMMDDhhmmssToDateTime64(1), YYYYMMDDhhmmssToDateTime64(300, 1), YYYYMMDDhhmmssToDateTime64(-7, 9, 'Asia/Tokyo'), YYYYMMDDhhmmssToDateTime64(20241301000000), YYYYMMDDhhmmssToDateTime64(20240229253456), YYYYMMDDhhmmssToDateTime64(20240229126060);
SELECT YYYYMMDDhhmmssToDateTime64(20240229123456.789), YYYYMMDDhhmmssToDateTime64(20240229123456.789, 1), YYYYMMDDhhmmssToDateTime64(toDecimal64('20240229123456.789', 3)), YYYYMMDDhhmmssToDateTime(20240229123456.5), YYYYMMDDhhmmssToDateTime(20240229996199), YYYYMMDDhhmmssToDateTime(1);
SELECT toMonthNumSinceEpoch(toDate32('1950-01-01')), toYearNumSinceEpoch(toDate32('1969-12-31')), toMonthNumSinceEpoch(toDateTime64('1950-01-01 00:00:00', 3, 'UTC')), toYearNumSinceEpoch(toDate('2024-01-01'));
SELECT toBool(NULL), toTypeName(toBool(NULL)), toTypeName(toBool(materialize(NULL))), toBool(materialize(toNullable('true'))), toTypeName(toBool(toNullable(1))), toTypeName(toBool(toLowCardinality('1'))), toBool(if(number = 0, NULL, '1')) FROM numbers(2);
SELECT toBool(toUUID('00000000-0000-0000-0000-000000000000')), toBool(toUUID('61f0c404-5cb3-11e7-907b-a6006ad3dba0')), toBool(toIPv6('::')), toBool(toIPv6('::1'));
-- error: CANNOT_PARSE_BOOL
SELECT toBool(toNullable(''));
SELECT toIntervalDay(toDate('2024-02-29')), toIntervalHour(toDateTime('2024-05-17 13:37:42', 'UTC')), toIntervalYear(toDate32('1950-01-01')), toIntervalDay(CAST('a', 'Enum8(\'a\' = 1)')), toIntervalDay(toTime('01:02:03')), toInterval(toDate('2024-02-29'), 'day'), toTypeName(toIntervalDay(toNullable(toDate('2024-02-29'))));
SELECT toIntervalHour(INTERVAL 2 DAY), toIntervalDay(INTERVAL -30 HOUR), toIntervalYear(INTERVAL 27 MONTH), toIntervalDay(INTERVAL 2 MONTH), toIntervalMonth(INTERVAL 60 DAY), CAST(INTERVAL 2 MONTH AS IntervalDay);
SELECT toDate(INTERVAL 2 DAY), toDate(INTERVAL 100000 DAY), toDate32(INTERVAL -2 DAY), toDateTime(INTERVAL 2 DAY, 'UTC'), toDateTime(INTERVAL -2 DAY, 'UTC'), toDateOrDefault(INTERVAL 2 DAY);
SELECT toIPv4(true), toIPv4(toNullable(true)), CAST(true AS IPv4);
SELECT defaultValueOfArgumentType(toDate32('1950-01-01')), defaultValueOfTypeName('Date32'), defaultValueOfTypeName('Date');
SELECT timeDiff(toDate('2024-02-29'), toDate('2024-03-01')), timeDiff(toDate32('1950-01-01'), toDate('2024-02-29')), timeDiff(toDateTime('2024-05-17 13:37:42', 'Asia/Tokyo'), toDate('2024-02-29'));
