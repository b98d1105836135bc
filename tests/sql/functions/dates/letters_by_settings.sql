SELECT formatDateTime(toDateTime('2024-05-07 03:04:05', 'UTC'), '%M %f %c %l %k');
SELECT formatDateTime(toDateTime('2024-05-07 03:04:05', 'UTC'), '%H:%M') SETTINGS formatdatetime_parsedatetime_m_is_month_name = 0;
SELECT formatDateTime(toDateTime('2024-05-07 03:04:05', 'UTC'), '%f'), formatDateTime(toDateTime64('2024-05-07 03:04:05.12', 4, 'UTC'), '%f') SETTINGS formatdatetime_f_prints_single_zero = 1;
SELECT formatDateTime(toDateTime('2024-05-07 03:04:05', 'UTC'), '%f'), formatDateTime(toDateTime64('2024-05-07 03:04:05.12', 4, 'UTC'), '%f') SETTINGS formatdatetime_f_prints_scale_number_of_digits = 1;
SELECT formatDateTime(toDateTime('2024-05-07 03:04:05', 'UTC'), '%c %l %k') SETTINGS formatdatetime_format_without_leading_zeros = 1;
SELECT formatDateTime(toDate('2024-05-17'), '%m/%e'), formatDateTime(toDate('2024-05-07'), '%m/%e') SETTINGS formatdatetime_e_with_space_padding = 1;
SELECT parseDateTime('05', '%M', 'UTC') SETTINGS formatdatetime_parsedatetime_m_is_month_name = 0;
SELECT parseDateTime('2024 01  7', '%Y %c %e', 'UTC'), parseDateTime('2024 01 17', '%Y %c %e', 'UTC') SETTINGS parsedatetime_e_requires_space_padding = 1;
-- error: CANNOT_PARSE_DATETIME
SELECT parseDateTime('2024 01 7', '%Y %c %e', 'UTC') SETTINGS parsedatetime_e_requires_space_padding = 1;
-- error: CANNOT_PARSE_DATETIME
SELECT parseDateTime('2024 1 7', '%Y %c %e', 'UTC') SETTINGS parsedatetime_parse_without_leading_zeros = 0;
SELECT zone, formatDateTime(toDateTime('2024-05-07 20:04:05', 'UTC'), '%F %T %z', zone), toString(toDateTime('2024-05-07 20:04:05', 'UTC'), zone), toString(toDateTime64('2024-05-07 20:04:05.25', 2, 'UTC'), zone) FROM values('zone String', 'UTC', 'Asia/Tokyo', 'America/New_York', 'Asia/Tokyo');
SELECT formatDateTimeInJodaSyntax(toDateTime('2024-05-07 20:04:05', 'UTC'), 'dd HH', zone) FROM values('zone String', 'UTC', 'Asia/Tokyo');
SELECT age('microsecond', toDateTime64('2015-08-18 20:30:36.100200005', 9, 'UTC'), toDateTime64('2015-08-18 20:30:41.200400004', 9, 'UTC')), age('millisecond', toDateTime64('2015-08-18 20:30:41.2004', 4, 'UTC'), toDateTime64('2015-08-18 20:30:36.1002', 4, 'UTC'));
SELECT fromUTCTimestamp(toDateTime('1970-01-01 01:00:00'), 'America/New_York'), toUTCTimestamp(toDateTime('1970-01-01 01:00:00'), 'Asia/Tokyo'), fromUTCTimestamp(toDateTime('2106-02-07 06:28:15'), 'Asia/Tokyo'), toUTCTimestamp(toDateTime('2106-02-07 06:28:15'), 'America/New_York') SETTINGS session_timezone = 'UTC';
-- error: BAD_ARGUMENTS
SELECT YYYYMMDDToDate(nan);
-- error: BAD_ARGUMENTS
SELECT YYYYMMDDhhmmssToDateTime64(inf);
-- error: ILLEGAL_TYPE_OF_ARGUMENT
SELECT dateTrunc('millisecond', toDateTime('2022-03-01 00:00:00'));
-- error: ILLEGAL_TYPE_OF_ARGUMENT
SELECT toStartOfInterval(toDateTime('2022-03-01 00:00:00'), INTERVAL 1 MILLISECOND);
SELECT dateTrunc('millisecond', toDateTime64('2022-03-01 00:00:00.123456', 6, 'UTC'));
