-- A day has no time of day: refused where there is a row to compute it of, or a constant.
SELECT toHour(d), toMinute(d), toSecond(d) FROM (SELECT toDate('2024-01-01') + number AS d FROM numbers(0)) FORMAT TSVWithNamesAndTypes;
SELECT toStartOfHour(d), toStartOfMinute(d), toStartOfFiveMinutes(d), toStartOfTenMinutes(d), toStartOfFifteenMinutes(d), timeSlot(d) FROM (SELECT toDate('2024-01-01') + number AS d FROM numbers(0)) FORMAT TSVWithNamesAndTypes;
SELECT toStartOfFiveMinutes(date_trunc('month', toDateTime(number, 'UTC'))) AS s FROM numbers(3) WHERE number > 5 FORMAT TSVWithNamesAndTypes;
SELECT toStartOfFiveMinutes(toDate32('2024-01-01') + number) AS s FROM numbers(0) FORMAT TSVWithNamesAndTypes;
-- error: ILLEGAL_TYPE_OF_ARGUMENT
SELECT toStartOfFiveMinutes(date_trunc('month', toDateTime(number, 'UTC'))) FROM numbers(3);
-- error: ILLEGAL_TYPE_OF_ARGUMENT
SELECT toHour(toDate('2024-01-01')) FROM numbers(0);
-- error: ILLEGAL_TYPE_OF_ARGUMENT
SELECT toHour(materialize(toDate('2024-01-01')));
SELECT toMillisecond(d), toTimeWithFixedDate(d) FROM (SELECT toDate('2024-01-01') + number AS d FROM numbers(0)) FORMAT TSVWithNamesAndTypes;
-- A branch that is never taken is not computed.
SELECT if(0, toStartOfInterval(d, INTERVAL 1 HOUR), toDateTime(d, 'UTC')) AS a, if(0, toStartOfHour(d), toDateTime(d, 'UTC')) AS b FROM (SELECT toDate('2024-01-01') + number AS d FROM numbers(2)) FORMAT TSVWithNamesAndTypes;
-- error: ILLEGAL_TYPE_OF_ARGUMENT
SELECT toStartOfInterval(toDate('2024-01-01'), INTERVAL 1 HOUR);
-- error: ILLEGAL_TYPE_OF_ARGUMENT
SELECT toStartOfInterval(toDate('2024-01-01') + number, INTERVAL 1 HOUR) FROM numbers(2);
