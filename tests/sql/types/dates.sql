SELECT toDate('2024-02-29'), toDate('2024-02-29') + 1, toDate('2024-03-01') - toDate('2024-02-01');
SELECT toDate(0), toDate(19782), toDate('1970-01-01'), toDate('2149-06-06');
SELECT toDate32('1900-01-01'), toDate32('2299-12-31'), toTypeName(toDate32('1950-01-01')), toDate32('1960-05-05') - 10;
SELECT toTypeName(toDate('2024-01-01') + 1), toTypeName(toDate('2024-01-02') - toDate('2024-01-01'));
SELECT toDate('2024-01-31') + INTERVAL 1 MONTH, toDate('2024-01-31') - INTERVAL 1 DAY, toDate('2024-02-29') + INTERVAL 1 YEAR;
SELECT toDate('2024-01-01') = '2024-01-01', toDate('2024-01-01') < '2024-01-02', toDate('2024-01-01') IN ('2024-01-01', '2025-01-01');
SELECT toDate('2024-01-01') < toDateTime('2024-01-01 00:00:01'), toDate('2024-01-01') = toDateTime('2024-01-01 00:00:00');
-- error: CANNOT_PARSE_DATE
SELECT toDate('not a date');
SELECT toDateOrNull('x'), toDateOrZero('x'), toDate32OrNull('x');
SELECT CAST('2024-05-06' AS Date), '2024-05-06'::Date32, DATE '2024-05-06';
SELECT toString(toDate('2024-05-06')), toInt32(toDate('2024-05-06')), toUInt16(toDate('1970-01-10'));
SELECT min(d), max(d) FROM (SELECT toDate('2024-01-01') + number AS d FROM numbers(40));
SELECT d, count() FROM (SELECT toStartOfMonth(toDate('2024-01-20') + number) AS d FROM numbers(30)) GROUP BY d ORDER BY d;
SELECT makeDate(2024, 2, 29), makeDate32(1950, 1, 1), toYYYYMMDD(toDate('2024-05-06'));
SELECT toDate(toDateTime('2024-05-06 23:59:59')), toDate('2024-05-06 12:13:14');
-- error: CANNOT_PARSE_TEXT
SELECT toDate('2024-01-01x');
-- error: CANNOT_PARSE_DATE
SELECT toDate('2024-1x-05');
