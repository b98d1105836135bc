-- OrNull and OrZero read the basic forms of dates with times only: digits in their places, or seconds since the epoch.
SELECT toDateTimeOrNull('2024-01-02 03:04:05', 'UTC'), toDateTimeOrNull('2024-01-02T03:04:05', 'UTC'), toDateTimeOrNull('2024-01-02', 'UTC'), toDateTimeOrNull('2024/01/02 03-04-05', 'UTC');
SELECT toDateTimeOrNull('20240102', 'UTC'), toDateTimeOrNull('12345', 'UTC'), toDateTimeOrNull('1704164645', 'UTC');
SELECT toDateTimeOrNull('2024-01-02T03:04:05Z'), toDateTimeOrNull('2024-1-2'), toDateTimeOrNull('2024-01-02 03:04'), toDateTimeOrNull('2024-01-02 3:04:05'), toDateTimeOrNull('2 Jan 2024');
SELECT toDateTimeOrNull('0'), toDateTimeOrNull('255'), toDateTimeOrNull('1.5'), toDateTimeOrNull('-1'), toDateTimeOrNull('-12345'), toDateTimeOrNull('1704164645.5'), toDateTimeOrNull('2024-01-02 03:04:05.678'), toDateTimeOrNull('');
SELECT toDateTimeOrZero('20240102', 'UTC'), toDateTimeOrZero('2024-1-2', 'UTC'), toDateTimeOrZero('255', 'UTC');
SELECT toDateTime64OrNull('2024-01-02 03:04:05.678', 3, 'UTC'), toDateTime64OrNull('1704164645.5', 3, 'UTC'), toDateTime64OrNull('-1.5', 3, 'UTC'), toDateTime64OrNull('12345678901', 3, 'UTC'), toDateTime64OrNull('1704164645123', 3, 'UTC');
SELECT toDateTime64OrNull('1.5', 3), toDateTime64OrNull('0', 3), toDateTime64OrNull('2024-01-02T03:04:05Z', 3), toDateTime64OrNull('2024-1-2', 3), toDateTime64OrNull('999.999', 3);
SELECT toDateTime64OrZero('20240102', 3, 'UTC'), toDateTime64OrZero('2024-1-2', 3, 'UTC');
-- OrDefault and CAST read whatever can be understood.
SELECT toDateTimeOrDefault('2024-1-2', 'UTC'), toDateTimeOrDefault('2024-01-02T03:04:05Z', 'UTC'), toDateTimeOrDefault('2 Jan 2024', 'UTC'), toDateTimeOrDefault('20240102030405', 'UTC'), toDateTimeOrDefault('2024-01-02 ', 'UTC'), toDateTimeOrDefault('2024-01-02T', 'UTC');
SELECT toDateTimeOrDefault('255', 'UTC'), toDateTimeOrDefault('65536', 'UTC'), toDateTimeOrDefault('1704164645.5', 'UTC'), toDateTimeOrDefault('5.', 'UTC');
SELECT toDateTime64OrDefault('2024-01-02 03:04:05+01:00', 3, 'UTC'), toDateTime64OrDefault('1704164645.5', 3, 'UTC'), toDateTime64OrDefault('-1', 3, 'UTC');
SELECT toDateTime64OrDefault('x', 3, 'UTC', toDateTime64('2024-01-02 00:00:00', 3, 'UTC'));
-- A setting asks CAST for the basic forms.
SELECT CAST('20240102' AS DateTime('UTC')) SETTINGS cast_string_to_date_time_mode = 'basic';
-- error: CANNOT_PARSE_DATETIME
SELECT CAST('2024-1-2' AS DateTime('UTC')) SETTINGS cast_string_to_date_time_mode = 'basic';
-- Two of them take whole numbers.
SELECT toDateTimeOrNull(1583851242, 'UTC'), toDateTimeOrNull(-1, 'UTC'), toDateOrNull(5), toDateOrNull(-5), toTypeName(toDateTimeOrNull(1583851242, 'UTC'));
-- error: ILLEGAL_TYPE_OF_ARGUMENT
SELECT toDateTimeOrZero(1583851242);
-- error: ILLEGAL_TYPE_OF_ARGUMENT
SELECT toDateTime64OrNull(1.5, 3);
-- error: ILLEGAL_TYPE_OF_ARGUMENT
SELECT toDateTimeOrNull(toDate('2024-01-02'));
