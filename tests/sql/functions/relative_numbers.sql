-- Numbers of days, hours, minutes and seconds since 1970: none before, and no more than the types hold.
SELECT toRelativeDayNum(toDate32('2200-07-08')), toRelativeDayNum(toDate32('1960-07-08')), toRelativeDayNum(toDateTime64('2200-07-08 00:00:00', 3, 'UTC')), toRelativeDayNum(toDate32('2149-06-06'));
SELECT toRelativeHourNum(toDate32('1960-07-08')), toRelativeMinuteNum(toDate32('1960-07-08')), toRelativeSecondNum(toDate32('1960-07-08'));
SELECT toRelativeHourNum(toDateTime64('1960-07-08 00:00:00', 3, 'UTC')), toRelativeMinuteNum(toDateTime64('1960-07-08 00:00:00', 3, 'UTC')), toRelativeSecondNum(toDateTime64('1960-07-08 00:00:00', 3, 'UTC'));
SELECT toRelativeHourNum(toDate32('2200-07-08')), toRelativeMinuteNum(toDate32('2200-07-08')), toRelativeSecondNum(toDate32('2200-07-08'));
SELECT toRelativeHourNum(toDate('2024-07-08')), toRelativeMinuteNum(toDate('2024-07-08'), 'Asia/Tokyo'), toRelativeSecondNum(toDateTime('2024-07-08 01:02:03', 'UTC'));
SELECT toRelativeMinuteNum(toDate('1970-01-01'), 'Asia/Tokyo'), toRelativeHourNum(toDateTime64('1960-07-08 00:00:00', 3, 'Asia/Kathmandu'));
