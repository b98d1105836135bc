-- Seconds before 1970 with a part: cut off for a Date and a number, floored for the others. What a number does not hold is an error.
SELECT toDate(toDateTime64('1969-12-31 23:59:59.001', 3, 'UTC')), toDate32(toDateTime64('1969-12-31 23:59:59.001', 3, 'UTC')), toDateTime(toDateTime64('1969-12-31 23:59:59.001', 3, 'UTC'), 'UTC');
SELECT toDate(materialize(toDateTime64('1969-12-31 23:59:59.000', 3, 'UTC'))), toDate(toDateTime64('1969-12-30 23:59:59.501', 3, 'UTC')), CAST(materialize(toDateTime64('1969-12-31 23:59:59.001', 3, 'UTC')) AS Date);
SELECT toUnixTimestamp(toDateTime64('1969-12-31 23:59:59.501', 3, 'UTC')), toInt64(toDateTime64('1969-12-31 23:59:58.501', 3, 'UTC')), toInt8(toDateTime64('1970-01-01 00:02:07.9', 3, 'UTC'));
-- error: DECIMAL_OVERFLOW
SELECT toUnixTimestamp(toDateTime64('1969-12-31 23:59:58.000', 3, 'UTC'));
-- error: DECIMAL_OVERFLOW
SELECT toUnixTimestamp(toDateTime64('2200-01-01 00:00:00', 3, 'UTC'));
-- error: DECIMAL_OVERFLOW
SELECT toUInt32(toDateTime64('1969-12-31 23:59:58.501', 3, 'UTC'));
-- error: DECIMAL_OVERFLOW
SELECT toUInt8(materialize(toDateTime64('1970-01-01 00:10:00', 0, 'UTC')));
SELECT toUInt8(toNullable(toDateTime64('1970-01-01 00:01:00', 0, 'UTC'))), toUInt8(CAST(NULL AS Nullable(DateTime64(3))));
