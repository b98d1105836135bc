-- A String of a file is bytes, also where the file's schema calls it text.
INSERT INTO FUNCTION file('bytes.parquet') SELECT unhex('ff00fe') AS s, [unhex('80')] AS a, map(unhex('81'), unhex('82')) AS m, toLowCardinality(unhex('84')) AS l, if(number = 0, NULL, unhex('85')) AS n FROM numbers(2);
DESCRIBE TABLE file('bytes.parquet');
SELECT hex(s), hex(a[1]), hex(mapKeys(m)[1]), hex(mapValues(m)[1]), hex(l), hex(n) FROM file('bytes.parquet');
SELECT count() FROM file('bytes.parquet') WHERE s = unhex('ff00fe');
SELECT count() FROM file('bytes.parquet') WHERE s < 'a';
INSERT INTO FUNCTION file('long.parquet') SELECT concat(repeat('x', 100), unhex('ff'), repeat('y', number)) AS s FROM numbers(1000);
SELECT count(), sum(length(s)), max(hex(substring(s, 101, 1))) FROM file('long.parquet') WHERE s >= repeat('x', 100);
INSERT INTO FUNCTION file('bytes.arrow') SELECT unhex('ff00fe') AS s, [unhex('80')] AS a;
SELECT hex(s), hex(a[1]) FROM file('bytes.arrow');
INSERT INTO FUNCTION file('bytes.stream', ArrowStream) SELECT unhex('ff00fe') AS s, [unhex('80')] AS a;
SELECT hex(s), hex(a[1]) FROM file('bytes.stream', ArrowStream);
-- Columns of Arrow by their names.
INSERT INTO FUNCTION file('names.arrow') SELECT 1 AS A, 'x' AS b;
SELECT a, B FROM file('names.arrow', Arrow, 'a UInt8, B String') SETTINGS input_format_arrow_case_insensitive_column_matching = 1;
SELECT a, B FROM file('names.arrow', Arrow, 'a UInt8, B String');
-- error: THERE_IS_NO_COLUMN
SELECT a, B FROM file('names.arrow', Arrow, 'a UInt8, B String') SETTINGS input_format_arrow_allow_missing_columns = 0;
SELECT a, B FROM file('names.arrow', Arrow, 'a UInt8, B String') SETTINGS input_format_arrow_allow_missing_columns = 0, input_format_arrow_case_insensitive_column_matching = 1;
SELECT a, B FROM file('names.arrow', Arrow, 'a UInt8, B String') SETTINGS input_format_parquet_allow_missing_columns = 0;
INSERT INTO FUNCTION file('names.stream', ArrowStream) SELECT 1 AS A, 'x' AS b;
SELECT a, B FROM file('names.stream', ArrowStream, 'a UInt8, B String') SETTINGS input_format_arrow_case_insensitive_column_matching = 1;
-- error: THERE_IS_NO_COLUMN
SELECT a, B FROM file('names.stream', ArrowStream, 'a UInt8, B String') SETTINGS input_format_arrow_allow_missing_columns = 0;
-- What data leaves out is the default of the type.
SELECT * FROM format(CSV, 'a UInt8 DEFAULT 7, b String DEFAULT concat(\'x,\', toString(a))', ',\n5,\n6,q') SETTINGS input_format_defaults_for_omitted_fields = 0;
SELECT * FROM format(JSONEachRow, 'a UInt8, b UInt8 DEFAULT a + 1', '{"a":1}{"a":2,"b":7}{"a":3,"b":null}') SETTINGS input_format_defaults_for_omitted_fields = 0;
-- Zeros at the end of a FixedString.
SELECT toFixedString('ab', 4) AS a, [toFixedString('', 4)] AS b, toNullable(toFixedString('a\0b', 4)) AS c, map(toFixedString('k', 2), toFixedString('v', 2)) AS d FORMAT TSV SETTINGS output_format_trim_fixed_string = 1;
SELECT toFixedString('ab', 4) AS a, [toFixedString('ab', 4)] AS b, toNullable(toFixedString('a\0b', 4)) AS c, map(toFixedString('k', 2), toFixedString('v', 2)) AS d FORMAT JSONEachRow SETTINGS output_format_trim_fixed_string = 1;
SELECT toFixedString('ab', 4) AS a, [toFixedString('ab', 4)] AS b FORMAT CSV SETTINGS output_format_trim_fixed_string = 1;
SELECT toFixedString('ab', 4) AS a, tuple(toFixedString('ab', 4)) AS b FORMAT PrettyCompact SETTINGS output_format_trim_fixed_string = 1;
SELECT toFixedString('ab', 4) AS a, toFixedString('c', 3) AS b FORMAT Vertical SETTINGS output_format_trim_fixed_string = 1;
-- Intervals.
SELECT toIntervalWeek(1), toIntervalDay(-1), toIntervalSecond(-90061), toIntervalMinute(61), toIntervalMillisecond(1500), toIntervalMicrosecond(5), toIntervalNanosecond(1234500) FORMAT TSV SETTINGS interval_output_format = 'kusto';
SELECT toIntervalNanosecond(-100), toIntervalSecond(0), toIntervalHour(24), toIntervalHour(-1), toIntervalDay(400) FORMAT CSV SETTINGS interval_output_format = 'kusto';
SELECT toNullable(toIntervalHour(1)) AS a, tuple(toIntervalHour(1)) AS b, map('k', toIntervalHour(2)) AS c FORMAT JSONEachRow SETTINGS interval_output_format = 'kusto';
SELECT toIntervalHour(1) AS a, [toIntervalHour(1)] AS b FORMAT XML SETTINGS interval_output_format = 'kusto', output_format_write_statistics = 0;
SELECT INTERVAL 3 DAY AS a, tuple(INTERVAL 3 HOUR) AS b FORMAT PrettyCompact SETTINGS interval_output_format = 'kusto';
-- error: BAD_ARGUMENTS
SELECT toIntervalMonth(2) FORMAT TSV SETTINGS interval_output_format = 'kusto';
SELECT toIntervalMonth(1) AS a FROM numbers(0) FORMAT TSV SETTINGS interval_output_format = 'kusto';
-- error: BAD_ARGUMENTS
SELECT toIntervalNanosecond(1234567) FORMAT TSV SETTINGS interval_output_format = 'kusto';
-- A wide table of which not all rows are shown.
SELECT number AS a, 2 AS b, 3 AS c, 4 AS d, 5 AS e, repeat('x', 260) AS f FROM numbers(2) FORMAT PrettyCompact SETTINGS output_format_pretty_max_rows = 1;
