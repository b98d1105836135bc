-- What a text says beyond the range of a type is at the end of the range, in every format; Date32 and DateTime64 hold the years 0 to 9999.
SELECT toDate('1950-01-01'), toDate('2200-01-01'), toDate('2149-06-07'), toDate('0000-01-01'), toDate('9999-12-31'), toDate('0000-00-00');
SELECT toDate32('1800-01-01'), toDate32('2400-01-01'), toDate32('0000-01-01'), toDate32('9999-12-31'), toDate32('0000-00-00');
SELECT toDateTime('1950-01-01 00:00:00', 'UTC'), toDateTime('2200-01-01 01:02:03', 'UTC'), toDateTime('2106-02-07 06:28:16', 'UTC'), toDateTime('4294967296', 'UTC');
SELECT toDateTime64('1800-01-01 01:02:03.456', 3, 'UTC'), toDateTime64('2400-01-01 01:02:03.456', 3, 'UTC'), toDateTime64('9999-01-01 01:02:03', 6, 'UTC');
-- error: DECIMAL_OVERFLOW
SELECT toDateTime64('2300-01-01 01:02:03.456', 9, 'UTC');
SELECT CAST('1950-01-01', 'Date'), CAST('2200-01-01', 'Date'), CAST('1800-01-01', 'Date32'), CAST('2200-01-01 01:02:03', 'DateTime(\'UTC\')');
SELECT toDateOrNull('1950-01-01'), toDateOrZero('2200-01-01'), toDateTimeOrNull('2200-01-01 00:00:00', 'UTC'), toDate32OrNull('1800-01-01'), toDate32OrZero('abc'), toDateTime64OrNull('2300-01-01 00:00:00', 9, 'UTC');
SELECT accurateCastOrNull('1950-01-01', 'Date'), accurateCastOrNull('2200-01-01', 'Date'), accurateCastOrNull('2200-01-01 00:00:00', 'DateTime(\'UTC\')');
SELECT toDate('1950-01-01') = '1950-01-01', toDate('2024-01-01') > '1950-01-01', toDate('2024-01-01') < '2200-01-01';
SELECT * FROM format(CSV, 'a Date, b Date32, c DateTime(\'UTC\'), d DateTime64(3, \'UTC\')', '1950-01-01,1800-01-01,1950-01-01 01:02:03,1800-01-01 01:02:03.456\n2200-01-01,2400-01-01,2200-01-01 01:02:03,2400-01-01 01:02:03.456');
SELECT * FROM format(TSV, 'a Date, b Date32, c DateTime(\'UTC\'), d DateTime64(3, \'UTC\')', '1950-01-01\t1800-01-01\t1950-01-01 01:02:03\t1800-01-01 01:02:03.456\n2200-01-01\t2400-01-01\t2200-01-01 01:02:03\t2400-01-01 01:02:03.456');
SELECT * FROM format(JSONEachRow, 'a Date, b Date32, c DateTime(\'UTC\'), d DateTime64(3, \'UTC\')', '{"a":"1950-01-01","b":"1800-01-01","c":"1950-01-01 01:02:03","d":"1800-01-01 01:02:03.456"}');
SELECT * FROM format(CSV, 'c DateTime(\'UTC\'), d DateTime64(3, \'UTC\')', '1950-01-01T01:02:03Z,1800-01-01T01:02:03.456Z\n2200-01-01T01:02:03Z,2400-01-01T01:02:03.456Z') SETTINGS date_time_input_format = 'best_effort';
CREATE TABLE far (a Date, b Date32, c DateTime('UTC'), d DateTime64(3, 'UTC')) ENGINE = MergeTree ORDER BY b;
INSERT INTO far VALUES ('1950-01-01', '1800-01-01', '1950-01-01 01:02:03', '1800-01-01 01:02:03.456'), ('2200-01-01', '9999-12-31', '2200-01-01 01:02:03', '2400-01-01 01:02:03.456');
SELECT * FROM far ORDER BY b;
SELECT b FROM far WHERE b < '1900-01-01';
SELECT b FROM far WHERE b + 1 > toDate32('2500-01-01') OR toYear(b) = 1800 ORDER BY b;
-- Numbers are days up to the last one that the type holds, and seconds beyond.
SELECT toDate32(120530), toDate32(2932896), toDate32(2932897), toDate32(-719528), toDate32(-719529), toDate32(4294967296), toDate32(1e13), toDate32(-1e13);
SELECT toDate32(toDateTime64('2400-01-01 00:00:00', 3, 'UTC')), toDate32(toDateTime64('1700-01-01 00:00:00', 3, 'UTC')), toDateTime64(toDate32('1700-01-01'), 3, 'UTC');
SELECT toDateTime64(-5000000000, 3, 'UTC'), toDateTime64(-62167219201, 0, 'UTC'), toDateTime64(-1e12, 3, 'UTC');
