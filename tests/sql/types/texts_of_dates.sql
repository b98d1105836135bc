SELECT CAST('2024-01-01T00:00:00+01:00', 'DateTime(\'UTC\')'), '2024-01-01T00:00:00.5Z'::DateTime64(1, 'UTC');
SELECT CAST('Jan 5 2024 10:11:12', 'DateTime(\'UTC\')'), CAST('2024-01-01 10', 'DateTime(\'UTC\')'), CAST('20240101', 'DateTime(\'UTC\')');
SELECT CAST('1700000000', 'DateTime(\'UTC\')'), CAST('2024', 'DateTime(\'UTC\')');
SELECT accurateCastOrNull('Jan 5 2024 10:11:12', 'DateTime(\'UTC\')'), toDateTimeOrNull('2024-01-01T00:00:00+01:00', 'UTC');
SELECT CAST(['2024-01-01T00:00:00+01:00'], 'Array(DateTime(\'UTC\'))'), CAST(materialize('2024-01-01T00:00:00+01:00'), 'DateTime(\'UTC\')');
SELECT toDateTime('2024-01-01T00:00:00+01:00', 'UTC') = '2024-01-01T00:00:00+01:00', now() > 'Jan 5 2024 10:11:12';
SELECT toDateTime('01/02/2024 00:00:00', 'UTC'), CAST('01/02/2024 00:00:00', 'DateTime(\'UTC\')') SETTINGS cast_string_to_date_time_mode = 'best_effort_us';
-- error: CANNOT_PARSE_TEXT
SELECT CAST('2024-01-01T00:00:00+01:00', 'DateTime(\'UTC\')') SETTINGS cast_string_to_date_time_mode = 'basic';
-- error: CANNOT_PARSE_DATE
SELECT toDate('Jan 5 2024');
-- error: CANNOT_PARSE_DATE
SELECT * FROM format(CSV, 'd Date', 'Jan 5 2024');
SELECT toDate('2024-01-05 10:11:12'), CAST('2024-01-05 10:11:12', 'Date'), toDate('2024/01/05');
CREATE TABLE dt (a DateTime('UTC'), b DateTime64(3, 'UTC')) ENGINE = Memory;
INSERT INTO dt VALUES ('2024-01-01T00:00:00+01:00', '2024-01-01T00:00:00.123+01:00'), ('2024-01-02 00:00:00Z', '2024-01-02 00:00:00 +0100');
SELECT * FROM dt ORDER BY a
