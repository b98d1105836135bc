-- A number that is no time is none.
-- error: CANNOT_PARSE_DATETIME
SELECT CAST('-1' AS DateTime('UTC'));
-- error: CANNOT_PARSE_DATETIME
SELECT CAST('5.' AS DateTime('UTC'));
-- error: CANNOT_PARSE_DATETIME
SELECT CAST('999.999' AS DateTime('UTC'));
-- error: CANNOT_PARSE_DATETIME
SELECT CAST('0000-00-00' AS DateTime('UTC'));
-- error: CANNOT_PARSE_TEXT
SELECT CAST('1704164645.5' AS DateTime('UTC'));
-- error: CANNOT_PARSE_TEXT
SELECT parseDateTimeBestEffort('1704164645.5', 'UTC');
SELECT parseDateTime64BestEffort('1704164645.5', 3, 'UTC'), parseDateTimeBestEffortOrNull('1704164645.5'), parseDateTimeBestEffortOrNull('202401020304');
-- error: CANNOT_PARSE_DATETIME
SELECT parseDateTimeBestEffort('202401020304');
-- Without a year it is this one, or the last where the day is still to come.
SELECT parseDateTimeBestEffort('12:30', 'UTC') = makeDateTime(toYear(now('UTC')), 1, 1, 12, 30, 0, 'UTC');
SELECT parseDateTimeBestEffort('10:15 PM', 'UTC') = makeDateTime(toYear(now('UTC')), 1, 1, 22, 15, 0, 'UTC');
SELECT parseDateTimeBestEffort('Jan 1 01:33:48', 'UTC') = makeDateTime(toYear(now('UTC')), 1, 1, 1, 33, 48, 'UTC');
SELECT parseDateTimeBestEffort('31 Dec', 'UTC') BETWEEN now('UTC') - INTERVAL 367 DAY AND now('UTC');
SELECT toMonth(parseDateTimeBestEffort('1.5', 'UTC')), toMonth(parseDateTimeBestEffortUS('1.5', 'UTC')), toDayOfMonth(parseDateTimeBestEffort('13/12', 'UTC'));
SELECT toMonth(CAST('Mar 3 01:33:48' AS DateTime('UTC'))), toMonth(a) FROM format(TSV, 'a DateTime(\'UTC\')', 'Mar 3 01:33:48');
SELECT parseDateTimeBestEffortOrNull('Mon'), parseDateTimeBestEffortOrNull('Feb 30'), parseDateTimeBestEffortOrNull('-1'), parseDateTimeBestEffortOrNull('+1'), parseDateTimeBestEffortOrNull('5.');
-- Days take a time behind them in one form.
SELECT toDate('2024-01-02 03:04:05'), toDate('2024-01-02T03:04:05'), toDate('2024-01-02 03:04:05.678'), toDate('2024-1-2');
SELECT toDateOrNull('2024-01-02T03:04:05Z'), toDateOrNull('2024-01-02 03:04'), toDateOrNull('2024-01-02 3:04:05'), toDateOrNull('2024-1-2 03:04:05'), toDateOrNull('2024-01-02 '), toDateOrNull('2024-01-02 03:04:05.'), toDate32OrNull('20240102 03:04:05');
-- error: CANNOT_PARSE_TEXT
SELECT '2024-01-02T03:04:05Z'::Date;
-- error: CANNOT_PARSE_TEXT
SELECT '2024-01-02 03:04'::Date32;
-- Numbers without quotes are seconds since the epoch.
SELECT * FROM format(JSONEachRow, 'a DateTime(\'UTC\')', '{"a":12345}{"a":5}{"a":"2024-01-02 03:04:05"}');
SELECT * FROM format(Values, 'a DateTime(\'UTC\'), b DateTime64(3, \'UTC\')', '(12345, 5.5), (5, -5)');
-- error: CANNOT_PARSE_DATETIME
SELECT * FROM format(TSV, 'a DateTime', '12345');
-- The end of the range.
SELECT toDateTime64(1704164645123, 3, 'UTC'), toDateTime64(1704164645123, 6, 'UTC'), toDateTime64(1e15, 3, 'UTC'), toDateTime64(1704164645123, 0, 'UTC'), toDateTime64(10000000000, 9, 'UTC'), toDateTime64(-10000000000, 9, 'UTC');
