SELECT toTypeName(toDateTime(toDateTime64('2020-01-01 12:00:00',3,'Asia/Tokyo'))), toTypeName(toDateTime64(toDateTime('2020-01-01 12:00:00','Asia/Tokyo'),3)), toTypeName(CAST(toDateTime('2020-01-01 12:00:00','Asia/Tokyo') AS DateTime64(3))), toTypeName(CAST(toDateTime64('2020-01-01 12:00:00',3,'Asia/Tokyo'),'DateTime')), toTypeName(toDateTime(toDateTime('2020-01-01 12:00:00','Asia/Tokyo'))), toTypeName(toDateTime64(toDateTime64('2020-01-01 12:00:00',3,'Asia/Tokyo'),6)), toTypeName(toDateTime('2020-01-01 12:00:00')), toTypeName(toDateTime64('2020-01-01 12:00:00',3));
-- error: ILLEGAL_TYPE_OF_ARGUMENT
SELECT toTypeName(toDateTimeOrNull(toDateTime64('2020-01-01 12:00:00',3,'Asia/Tokyo')));
-- error: ILLEGAL_TYPE_OF_ARGUMENT
SELECT toTypeName(toDateTimeOrZero(toDateTime64('2020-01-01 12:00:00',3,'Asia/Tokyo')));
SELECT toTypeName(toDateTimeOrDefault(toDateTime64('2020-01-01 12:00:00',3,'Asia/Tokyo')));
-- error: ILLEGAL_TYPE_OF_ARGUMENT
SELECT toTypeName(toDateTime64OrNull(toDateTime('2020-01-01 12:00:00','Asia/Tokyo'),3));
-- error: ILLEGAL_TYPE_OF_ARGUMENT
SELECT toTypeName(toDateTime64OrZero(toDateTime('2020-01-01 12:00:00','Asia/Tokyo'),3));
SELECT toTypeName(toDateTime64OrDefault(toDateTime('2020-01-01 12:00:00','Asia/Tokyo'),3));
SELECT toTypeName(toDateTimeOrNull('2020-01-01 12:00:00')), toTypeName(toDateTimeOrNull('2020-01-01 12:00:00', 'Asia/Tokyo')),toTypeName(toDateTime64OrNull('2020-01-01 12:00:00',3)), toTypeName(toDateTime64OrNull('2020-01-01 12:00:00', 3,'Asia/Tokyo'));
WITH toDateTime64('2020-01-01 12:00:00.123',3,'Asia/Tokyo') AS t SELECT toDateTime(t), toDate(t), toTypeName(toDate(t)), toStartOfHour(t), toTypeName(toStartOfHour(t)), toTypeName(toStartOfMinute(t)), toTypeName(toStartOfSecond(t)), toTypeName(toStartOfDay(t)), toTypeName(toStartOfFifteenMinutes(t)), toTypeName(toStartOfInterval(t, INTERVAL 1 HOUR)), toTypeName(date_trunc('hour', t)), toTypeName(toTimeZone(t,'UTC')), toTypeName(t + 1), toTypeName(addHours(t,1)), toTypeName(t - INTERVAL 1 DAY);
WITH toDateTime('2020-01-01 12:00:00','Asia/Tokyo') AS t SELECT toDateTime64(t,3), toDate(t), toTypeName(toDate(t)), toStartOfHour(t), toTypeName(toStartOfHour(t)), toTypeName(toStartOfMinute(t)), toTypeName(toStartOfDay(t)), toTypeName(toStartOfFifteenMinutes(t)), toTypeName(toStartOfInterval(t, INTERVAL 1 HOUR)), toTypeName(date_trunc('hour', t)), toTypeName(toTimeZone(t,'UTC')), toTypeName(t + 1), toTypeName(addHours(t,1)), toTypeName(t - INTERVAL 1 DAY), toTypeName(addMilliseconds(t, 1));
SELECT toTypeName(parseDateTime('2020-01-01','%Y-%m-%d','Asia/Tokyo')), toTypeName(parseDateTimeBestEffort('2020-01-01')), toTypeName(parseDateTimeBestEffort('2020-01-01','Asia/Tokyo')), toTypeName(parseDateTime64BestEffort('2020-01-01')), toTypeName(parseDateTime64BestEffort('2020-01-01',3,'Asia/Tokyo')), toTypeName(now64()), toTypeName(now64(3,'Asia/Tokyo')), toTypeName(now()), toTypeName(now('Asia/Tokyo'));
-- error: ILLEGAL_TYPE_OF_ARGUMENT
SELECT toTypeName(parseDateTimeBestEffort(toDateTime('2020-01-01 12:00:00','Asia/Tokyo')));
SELECT toTypeName(CAST(toDateTime('2020-01-01 12:00:00','Asia/Tokyo') AS DateTime)), toTypeName(CAST(toNullable(toDateTime('2020-01-01 12:00:00','Asia/Tokyo')) AS DateTime64(3))), toTypeName(CAST(toDateTime('2020-01-01 12:00:00','Asia/Tokyo') AS Nullable(DateTime64(3)))), toTypeName(toDateTime('2020-01-01 12:00:00','Asia/Tokyo')::DateTime64(3)),  toTypeName(toDateTime('2020-01-01 12:00:00','Asia/Tokyo')::DateTime64(3,'UTC')), toTypeName(accurateCast(toDateTime('2020-01-01 12:00:00','Asia/Tokyo'),'DateTime64(3)')), toTypeName(accurateCastOrNull(toDateTime('2020-01-01 12:00:00','Asia/Tokyo'),'DateTime64(3)')),toTypeName(CAST([toDateTime('2020-01-01 12:00:00','Asia/Tokyo')] AS Array(DateTime64(3)))), toTypeName(CAST((toDateTime('2020-01-01 12:00:00','Asia/Tokyo'),1) AS Tuple(DateTime64(3),UInt8))), toTypeName(toDateTime(toNullable(toDateTime64('2020-01-01 12:00:00',3,'Asia/Tokyo')))), toTypeName(toDateTime(toLowCardinality(toDateTime('2020-01-01 12:00:00','Asia/Tokyo')))), toTypeName(toDateTime32(toDateTime64('2020-01-01 12:00:00',3,'Asia/Tokyo')));
SELECT CAST(toDateTime('2020-01-01 12:00:00','Asia/Tokyo') AS DateTime64(3)), CAST(toDateTime64('2020-01-01 12:00:00',3,'Asia/Tokyo') AS DateTime), CAST(toDateTime64('2020-01-01 12:00:00',3,'Asia/Tokyo') AS Nullable(DateTime)), CAST([toDateTime('2020-01-01 12:00:00','Asia/Tokyo')] AS Array(DateTime64(3)));
SELECT toDateTime(toDateTime64('2020-01-01 12:00:00',3,'Asia/Tokyo'), 'UTC'), toDateTime64(toDateTime('2020-01-01 12:00:00','Asia/Tokyo'), 3, 'UTC'), toTypeName(toDateTime64(toDateTime('2020-01-01 12:00:00','Asia/Tokyo'), 3, 'UTC')), toDateTime(toDateTime64('2020-01-01 12:00:00',3,'Asia/Tokyo')), toDateTime64(toDateTime('2020-01-01 12:00:00','Asia/Tokyo'),3);
SELECT toTypeName(toDateTime(toDate('2020-01-01'))), toTypeName(toDateTime64(toDate('2020-01-01'),3)), toTypeName(toDateTime(1)), toTypeName(toUnixTimestamp(toDateTime('2020-01-01 12:00:00','Asia/Tokyo')));
CREATE TABLE dz (t DateTime64(3,'Asia/Tokyo'), d DateTime('Asia/Tokyo'), n Nullable(DateTime('Asia/Tokyo'))) ENGINE=MergeTree ORDER BY t;
INSERT INTO dz VALUES ('2020-01-01 12:00:00', '2020-01-01 12:00:00', '2020-01-01 12:00:00');
SELECT count() FROM dz WHERE toDateTime(t)='2020-01-01 12:00:00';
SELECT count() FROM dz WHERE toDateTime64(d, 3)='2020-01-01 12:00:00';
SELECT count() FROM dz WHERE CAST(d AS DateTime64(3))='2020-01-01 12:00:00';
SELECT count() FROM dz WHERE d::DateTime64(3)='2020-01-01 12:00:00';
SELECT toDateTime(t), toDateTime64(d, 3), toDateTime64(n, 3), toTypeName(toDateTime64(n, 3)), toDate(t), toDateTime(n), toString(toDateTime(t)) FROM dz;
SELECT toTypeName(CAST(toDate('2020-01-01') AS DateTime64(3))), toTypeName(accurateCastOrDefault(toDateTime('2020-01-01 12:00:00','Asia/Tokyo'),'DateTime64(3)'));
SELECT accurateCastOrDefault(toDateTime('2020-01-01 12:00:00','Asia/Tokyo'),'DateTime64(3)', toDateTime64('2020-01-01 12:00:00',3));
SELECT toTypeName(toDateTime(toDateTime('2020-01-01 12:00:00','Asia/Tokyo'), 3)), toTypeName(CAST(toLowCardinality(toDateTime('2020-01-01 12:00:00','Asia/Tokyo')) AS DateTime64(3)));
SELECT CAST(CAST(toDateTime64('2020-01-01 12:00:00',3,'Asia/Tokyo') AS DateTime) AS String), toString(toDateTime(toDateTime64('2020-01-01 12:00:00',3,'Asia/Tokyo'))), toHour(toDateTime(toDateTime64('2020-01-01 12:00:00',3,'Asia/Tokyo')));
CREATE TABLE cz (d DateTime, t DateTime DEFAULT toDateTime64('2020-01-01 12:00:00',3,'Asia/Tokyo'), m DateTime64(3) MATERIALIZED toDateTime(d,'Asia/Tokyo')) ENGINE=Memory;
INSERT INTO cz (d) SELECT toDateTime64('2020-01-01 12:00:00',3,'Asia/Tokyo');
SELECT d, t, m, toTypeName(m) FROM cz;
