SELECT toStartOfInterval(toDateTime64('2023-10-09 10:11:12.987654321', 9), toIntervalMillisecond(1), toDateTime64('2023-10-09 10:11:12.123456789', 9)) AS t, toTypeName(t);
SELECT toStartOfInterval(toDateTime64('2023-10-09 10:11:12.987', 3), toIntervalMicrosecond(1), toDateTime64('2023-10-09 10:11:12.123', 3)) AS t, toTypeName(t);
SELECT toStartOfInterval(toDateTime64('2023-10-09 10:11:12.987', 3), toIntervalMillisecond(7), toDateTime64('2023-10-09 09:11:12.120', 3), 'Asia/Tokyo') AS t, toTypeName(t);
SELECT toStartOfInterval(toDateTime('2023-03-01 15:55:00', 'UTC'), toIntervalMinute(7), toDateTime('2023-01-01 13:50:00', 'UTC'), 'Asia/Tokyo') AS t, toTypeName(t);
SELECT toStartOfInterval(toDate('2023-10-09'), toIntervalWeek(1), toDate('2013-12-08')) AS t, toTypeName(t);
-- error: ILLEGAL_TYPE_OF_ARGUMENT
SELECT toStartOfInterval(toDateTime('2023-01-02 14:45:50'), toIntervalMinute(1), toDateTime64('2023-01-02 14:44:30', 2));
-- error: ILLEGAL_TYPE_OF_ARGUMENT
SELECT toStartOfInterval(toDateTime64('2023-01-02 14:45:50', 3), toIntervalMinute(1), toDateTime64('2023-01-02 14:44:30', 2));
-- error: ILLEGAL_TYPE_OF_ARGUMENT
SELECT toStartOfInterval(toDateTime('2023-01-02 14:45:50'), toIntervalMillisecond(1), toDateTime('2023-01-02 14:44:30'));
SELECT toStartOfInterval(toDateTime('2020-01-02 03:04:05', 'UTC') + number, INTERVAL 1 DAY, (SELECT toDateTime('2020-01-01 03:04:05', 'UTC'))) FROM numbers(2);
-- error: ILLEGAL_TYPE_OF_ARGUMENT
SELECT toStartOfInterval(toDateTime('2023-01-02 14:45:50'), toIntervalYear(1), 'UTC', 'UTC');
SELECT makeDateTime(65537, 8, 24, 21, 4, 0, 'UTC'), makeDateTime(10000, 1, 1, 0, 0, 0, 'UTC'), makeDateTime(1900, 1, 1, 0, 0, 0, 'UTC');
-- error: NUMBER_OF_ARGUMENTS_DOESNT_MATCH
SELECT makeDate(1980);
SELECT toTime('45:30'), toTime('-9:59'), toTime('60:00'), toTime64('45:30.123', 3), '12:30:15'::Time, toTimeOrNull('1:2:3:4');
