-- Intervals: units in the plural, short and in MySQL's words; several in a text; ranges of units.
SELECT INTERVAL 3 hours, INTERVAL 5 SECONDS, INTERVAL 1 months, INTERVAL 2 weeks, INTERVAL 1 quarters, INTERVAL 1 years;
SELECT toTypeName(INTERVAL 1 d), toTypeName(INTERVAL 1 h), toTypeName(INTERVAL 1 MM), toTypeName(INTERVAL 1 SQL_TSI_DAY), toTypeName(INTERVAL 1 MI);
SELECT toTypeName(INTERVAL 1 m), toTypeName(INTERVAL 1 s), toTypeName(INTERVAL 1 q), toTypeName(INTERVAL 1 ms), toTypeName(INTERVAL 1 ns), toTypeName(INTERVAL 1 n);
SELECT toTypeName(INTERVAL 1 YYYY), toTypeName(INTERVAL 1 YY), toTypeName(INTERVAL 1 QQ), toTypeName(INTERVAL 1 WK), toTypeName(INTERVAL 1 WW), toTypeName(INTERVAL 1 DD), toTypeName(INTERVAL 1 HH), toTypeName(INTERVAL 1 SS);
-- error: SYNTAX_ERROR
SELECT INTERVAL 1 w;
-- error: SYNTAX_ERROR
SELECT INTERVAL 1 y;
-- error: SYNTAX_ERROR
SELECT INTERVAL 1 us;
SELECT INTERVAL '1 month', toTypeName(INTERVAL '1 month'), INTERVAL '2 hours', INTERVAL '-1 day', INTERVAL '+2 day', INTERVAL ' 1  day ';
SELECT INTERVAL '1 day 2 hour', toTypeName(INTERVAL '1 day 2 hour'), INTERVAL '1 day -2 hour', INTERVAL '1 MM', INTERVAL '1' DAY;
SELECT INTERVAL '1 day', INTERVAL '1 day 2 hour', INTERVAL '1-2' YEAR TO MONTH, INTERVAL 2 hours FORMAT TSVWithNames;
SELECT toDateTime('2024-01-01 00:00:00', 'UTC') + INTERVAL '1 day 2 hour', toDate('2024-01-31') + INTERVAL '1 month';
SELECT INTERVAL '1-2' YEAR TO MONTH, toTypeName(INTERVAL '1-2' YEAR TO MONTH), INTERVAL '-1-2' YEAR TO MONTH;
SELECT INTERVAL '1 02:03:04' DAY TO SECOND, toTypeName(INTERVAL '1 02:03:04' DAY TO SECOND), INTERVAL '-1 02:03:04' DAY TO SECOND;
SELECT INTERVAL '1 02' DAY TO HOUR, INTERVAL '1 02:03' DAY TO MINUTE, INTERVAL '02:03' HOUR TO MINUTE, INTERVAL '02:03:04' HOUR TO SECOND, INTERVAL '03:04' MINUTE TO SECOND;
SELECT toDate('2024-01-01') + INTERVAL '1-2' YEAR TO MONTH, toDateTime('2024-01-01 00:00:00', 'UTC') - INTERVAL '1 1' DAY TO HOUR;
-- error: SYNTAX_ERROR
SELECT INTERVAL '1-2' MONTH TO YEAR;
-- error: SYNTAX_ERROR
SELECT INTERVAL '1-2' DAY TO MONTH;
-- error: SYNTAX_ERROR
SELECT INTERVAL '1' YEAR TO MONTH;
-- error: SYNTAX_ERROR
SELECT INTERVAL '1 25:61:00' DAY TO SECOND;
-- error: SYNTAX_ERROR
SELECT INTERVAL '1 nosuch';
-- error: SYNTAX_ERROR
SELECT INTERVAL '1day';
SELECT toDate('2024-01-01') + INTERVAL (1 + 1) days, toDate('2024-01-01') + INTERVAL number day FROM numbers(2);
SELECT dateAdd(d, 1, toDate('2024-01-01')), dateSub(hh, 1, toDateTime('2024-01-01 00:00:00', 'UTC')), dateAdd(MONTHS, 1, toDate('2024-01-01')), date_add(wk, 1, toDate('2024-01-01'));
SELECT dateDiff('dd', toDate('2024-01-01'), toDate('2024-01-03')), dateDiff(d, toDate('2024-01-01'), toDate('2024-01-03')), timestampdiff(SQL_TSI_DAY, toDate('2024-01-01'), toDate('2024-01-03'));
SELECT dateDiff(mm, toDate('2024-01-01'), toDate('2024-03-01')), dateDiff(ms, toDate('2024-01-01'), toDate('2024-03-01'));
-- error: UNKNOWN_IDENTIFIER
SELECT dateDiff(nosuch, toDate('2024-01-01'), toDate('2024-01-03'));
