SELECT toTypeName(INTERVAL 1 DAY), INTERVAL 1 DAY, INTERVAL '2' HOUR, toIntervalMonth(3);
SELECT toDate('2024-01-31') + INTERVAL 1 MONTH, toDate('2024-03-31') - INTERVAL 1 MONTH, toDate('2024-01-01') + toIntervalWeek(2);
SELECT toDateTime('2024-01-01 00:00:00') + INTERVAL 90 MINUTE, toDateTime('2024-01-01 00:00:00') - INTERVAL 1 SECOND;
SELECT addDays(toDate('2024-02-28'), 2), subtractDays(toDate('2024-03-01'), 1), addMonths(toDate('2024-01-31'), 1), addYears(toDate('2024-02-29'), 1);
SELECT addHours(toDateTime('2024-01-01 00:00:00'), 25), addMinutes(toDateTime('2024-01-01 00:00:00'), 61), addSeconds(toDateTime('2024-01-01 00:00:00'), 61), addWeeks(toDate('2024-01-01'), 1), addQuarters(toDate('2024-01-31'), 1);
SELECT toDate('2024-01-01') + INTERVAL 1 HOUR AS h, toTypeName(h);
SELECT toDateTime('2024-01-01 00:00:00') + (INTERVAL 1 DAY, INTERVAL 1 HOUR);
SELECT dateAdd(DAY, 3, toDate('2024-01-01')), dateSub(MONTH, 1, toDate('2024-03-31'));
SELECT date_add(toDate('2024-01-01'), INTERVAL 1 YEAR);
SELECT INTERVAL 1 YEAR > INTERVAL 1 MONTH;
SELECT toDateTime64('2024-01-01 00:00:00', 3) + INTERVAL 5 MILLISECOND;
SELECT INTERVAL 1 DAY = INTERVAL 24 HOUR, INTERVAL 1 WEEK < INTERVAL 8 DAY, CAST(INTERVAL 25 HOUR, 'IntervalDay'), CAST(INTERVAL 1 YEAR, 'IntervalQuarter');
-- error: NO_COMMON_TYPE
SELECT INTERVAL 1 MONTH > INTERVAL 1 DAY;
SELECT date_sub(toDate('2024-01-01'), INTERVAL 1 YEAR), timestamp_add(toDate('2024-01-01'), INTERVAL 1 DAY), toTypeName(date_add(toDate('2024-01-01'), INTERVAL 1 HOUR));
