-- Digits of floats, and the point behind them.
SELECT arrayJoin([0.0005, 0.0015, 0.0025, 1.0005, 2.5, 1e-7, 1.5e-7, 0.000001, 1.5e-5, 1e22, 1.23456e25, 1.5e300, 123456789.98765, 0.9999, -0.0004, -0., 1e21, 5e-324, nan, -inf]) SETTINGS output_format_float_precision = 3;
SELECT arrayJoin([0.125, 0.35, 0.15, 0.25, 123456789, 1e20, 3.4e38]::Array(Float32)) SETTINGS output_format_float_precision = 1;
SELECT arrayJoin([1.5e-7, 1.23e-10, 0.1]) SETTINGS output_format_float_precision = 12;
-- error: BAD_ARGUMENTS
SELECT 0.1 SETTINGS output_format_float_precision = 101;
SELECT 1.234 AS x, [2.125, nan] AS y, toFloat32(0.1) AS z SETTINGS output_format_float_precision = 2 FORMAT JSONEachRow;
SELECT arrayJoin([1.5, 2., 1e22, nan, -inf, -0.]), 2::Decimal(9, 2), 3::Decimal(9, 0), 5 SETTINGS output_format_always_write_decimal_point_in_float_and_decimal = 1;
SELECT [2.] AS a, 2::Decimal(9, 2) AS b, 2.001 AS c SETTINGS output_format_always_write_decimal_point_in_float_and_decimal = 1, output_format_float_precision = 2, output_format_decimal_trailing_zeros = 1 FORMAT Values;
SELECT 2. AS a, 2::Decimal(9, 2) AS b SETTINGS output_format_always_write_decimal_point_in_float_and_decimal = 1 FORMAT JSONEachRow;
-- Markdown.
SELECT arrayStringConcat(arrayMap(c -> char(c), range(32, 127))) AS `s|`, toFixedString('a#', 2) AS f, CAST('a-b', 'Enum8(\'a-b\' = 1)') AS e, -1.5 AS n, ['a#'] AS a, 'a#'::LowCardinality(String) AS l, 'q#'::Nullable(String) AS q SETTINGS output_format_markdown_escape_special_characters = 1 FORMAT Markdown;
SELECT 'a\tb\\c\'' AS s SETTINGS output_format_markdown_escape_special_characters = 1 FORMAT Markdown;
SELECT 'a\tb\\c|' AS s FORMAT Markdown;
-- The header of tuples.
SELECT (1, 2)::Tuple(a Int8, b Int8) AS t, 3 AS x SETTINGS output_format_csv_header_serialize_tuple_into_separate_columns = 0 FORMAT CSVWithNames;
SELECT (1, 2)::Tuple(a Int8, b Int8) AS t, 3 AS x SETTINGS output_format_csv_serialize_tuple_into_separate_columns = 0 FORMAT CSVWithNamesAndTypes;
-- Numbers of enums whose names are numbers.
SELECT * FROM format(CSV, 'e Enum8(\'a\' = 1, \'b\' = 2, \'2\' = 3)', '2\n1') SETTINGS input_format_csv_enum_as_number = 1;
SELECT * FROM format(CSV, 'e Enum8(\'a\' = 1, \'b\' = 2, \'2\' = 3)', '2\n1\na');
SELECT * FROM format(TSV, 'e Enum8(\'a\' = 1, \'b\' = 2, \'2\' = 3)', '2\n1') SETTINGS input_format_tsv_enum_as_number = 1;
-- error: UNKNOWN_ELEMENT_OF_ENUM
SELECT * FROM format(TSV, 'e Enum8(\'a\' = 1)', 'a') SETTINGS input_format_tsv_enum_as_number = 1;
-- Times as numbers.
SELECT * FROM format(JSONEachRow, 'e DateTime64(3)', '{"e":1700000000123}{"e":1700000000}{"e":1700000000.5}{"e":"1700000000123"}');
SELECT * FROM format(JSONEachRow, 'e DateTime64(3)', '{"e":1700000000123}{"e":1700000000}') SETTINGS input_format_read_datetime_number_as_raw_value = 1;
SELECT * FROM format(Values, 'e DateTime64(3)', '(1700000000123), (1700000000), (1700000000.5)');
-- Fields that are left out, and names.
-- error: TYPE_MISMATCH
SELECT * FROM format(JSONEachRow, 'a Int32, b String DEFAULT \'d\'', '{"a":1}') SETTINGS input_format_force_null_for_omitted_fields = 1;
SELECT * FROM format(JSONEachRow, 'a Int32, b Nullable(String) DEFAULT \'d\', c Nullable(Int8)', '{"a":1}') SETTINGS input_format_force_null_for_omitted_fields = 1;
SELECT * FROM format(JSONEachRow, 'a Int32, b String', '{"A":1,"B":"x"}') SETTINGS input_format_column_name_matching_mode = 'match_case';
SELECT * FROM format(JSONEachRow, 'a Int32, b String', '{"A":1,"B":"x"}') SETTINGS input_format_column_name_matching_mode = 'ignore_case';
-- error: INCORRECT_DATA
SELECT * FROM format(JSONEachRow, 'a Int32, A String', '{"A":"x","a":1}') SETTINGS input_format_column_name_matching_mode = 'ignore_case';
-- error: BAD_ARGUMENTS
SELECT * FROM format(JSONEachRow, 'a Int32', '{"a":1}') SETTINGS input_format_column_name_matching_mode = 'any';
SELECT * FROM format(CSVWithNames, 'aB Int32, c String', 'AB,C\n1,x') SETTINGS input_format_column_name_matching_mode = 'match_case';
-- CSV's lines and fields.
SELECT * FROM format(CSV, 'a Int32, b String', '1,x\r2,"y"\r3,z') SETTINGS input_format_csv_allow_cr_end_of_line = 1;
SELECT * FROM format(CSVWithNames, 'a Int32, b String', 'a,b\r1,x\r\n2,"y"\r') SETTINGS input_format_csv_allow_cr_end_of_line = 1;
DESC format(CSV, 'a,b\r1,x\r2,"y"\r') SETTINGS input_format_csv_allow_cr_end_of_line = 1;
SELECT a IS NULL, b, c, d IS NULL, e FROM format(CSV, 'a Nullable(String), b Nullable(Int32), c Array(Nullable(String)), d LowCardinality(Nullable(String)), e Nullable(FixedString(2))', ',,,,\n"",1,,"",\n\\N,,,\\N,\\N') SETTINGS input_format_csv_missing_nullable_as_empty_string = 1;
SELECT * FROM format(CSV, 'a String, b String', ' x\t,\ty \n') SETTINGS input_format_csv_allow_whitespace_or_tab_as_delimiter = 1;
DESC format(CSV, '"(1,2)",(1),"{1:2}","(1,\'x\')",[1],"[1]","[1e5,2]"') SETTINGS input_format_csv_try_infer_strings_from_quoted_tuples = 0;
DESC format(CSV, '"(1,2)",(1),"{1:2}","(1,\'x\')",[1],"[1]","[1e5,2]"');
DESC format(TSV, '[1e5,2]\t(1e5,2)\t{1:1e5}\t[1.5]\tnan');
DESC format(CustomSeparated, '170141183460469231731687303715884105728\t18446744073709551615\n');
-- JSON's values.
SELECT * FROM format(JSONEachRow, 'a Int32, b String, c Nullable(Int8), d Array(UInt8), e Tuple(x UInt8, y Array(Date)), f Map(String, UInt8), g UUID, h IPv6, i DateTime64(3), k UInt8 DEFAULT 7, l String DEFAULT \'q\'', '{"a":"","b":"","c":"","d":"","e":{"x":"","y":["","2024-01-02"]},"f":{"a":""},"g":"","h":"","i":"","k":"","l":""}') SETTINGS input_format_json_empty_as_default = 1;
-- error: UNKNOWN_ELEMENT_OF_ENUM
SELECT * FROM format(JSONEachRow, 'e Enum8(\'a\' = 1, \'b\' = 2)', '{"e":""}') SETTINGS input_format_json_empty_as_default = 1;
SELECT * FROM format(JSONEachRow, 'e Enum8(\'a\' = 0, \'b\' = 2)', '{"e":""}') SETTINGS input_format_json_empty_as_default = 1;
SELECT * FROM format(JSONEachRow, 'a String', '{"a":"x\\ud83dy\\u00e9z"}{"a":"x\\ud83d\\u0041z"}{"a":"x\\u1"}{"a":"\\n\\q"}') SETTINGS input_format_json_throw_on_bad_escape_sequence = 0;
-- error: CANNOT_PARSE_ESCAPE_SEQUENCE
SELECT * FROM format(JSONEachRow, 'a String', '{"a":"x\\ud83dy"}');
SELECT * FROM format(JSONEachRow, 'a UInt8, b String, c Bool', '{"a":true,"b":true,"c":true}') SETTINGS input_format_json_read_bools_as_numbers = 0;
-- error: CANNOT_PARSE_NUMBER
SELECT * FROM format(JSONEachRow, 'a Float32', '{"a":true}') SETTINGS input_format_json_read_bools_as_numbers = 0;
-- error: CANNOT_PARSE_INPUT_ASSERTION_FAILED
SELECT * FROM format(JSONEachRow, 'a Decimal(9, 2)', '{"a":true}');
-- error: CANNOT_PARSE_DATETIME
SELECT * FROM format(JSONEachRow, 'a DateTime', '{"a":true}');
-- error: INCORRECT_DATA
SELECT * FROM format(JSON, 'a UInt64', '{"meta":[{"name":"a","type":"String"}],"data":[{"a":"1"}]}');
SELECT * FROM format(JSON, 'a UInt64', '{"meta":[{"name":"a","type":"String"}],"data":[{"a":"1"}]}') SETTINGS input_format_json_validate_types_from_metadata = 0;
-- error: INCORRECT_DATA
SELECT * FROM format(JSONCompact, 'a UInt64', '{"meta":[{"name":"a","type":"String"}],"data":[["1"]]}');
-- error: INCORRECT_DATA
SELECT * FROM format(JSONColumnsWithMetadata, 'a UInt64', '{"meta":[{"name":"a","type":"String"}],"data":{"a":["1"]}}');
SELECT hex(a) FROM format(JSONColumns, 'a String', concat('{"a":["', unhex('FF'), '"]}'));
SELECT length(formatRow('JSONEachRow', unhex('FF61') AS c));
-- What JSON's values are guessed to be.
-- error: CANNOT_EXTRACT_TABLE_STRUCTURE
DESC format(JSONEachRow, '{"a":true}{"a":1}') SETTINGS input_format_json_read_bools_as_numbers = 0;
-- error: CANNOT_EXTRACT_TABLE_STRUCTURE
DESC format(JSONEachRow, '{"a":true}{"a":"x"}') SETTINGS input_format_json_read_bools_as_strings = 0;
-- error: CANNOT_EXTRACT_TABLE_STRUCTURE
DESC format(JSONEachRow, '{"a":1}{"a":"x"}') SETTINGS input_format_json_read_numbers_as_strings = 0;
SELECT * FROM format(JSONEachRow, '{"a":{"b":1,"c":{"d":2},"e":null}}{"a":{"b":"x","c":5,"e":{"f":1}}}') SETTINGS input_format_json_use_string_type_for_ambiguous_paths_in_named_tuples_inference_from_objects = 1;
DESC format(JSONEachRow, '{"a":{"b":1,"c":{"d":2}}}{"a":{"b":"x","c":5}}') SETTINGS input_format_json_use_string_type_for_ambiguous_paths_in_named_tuples_inference_from_objects = 1;
DESC format(JSONEachRow, '{"a":{"b":1,"c":2},"d":{"x":1,"y":"z"}}') SETTINGS input_format_json_try_infer_named_tuples_from_objects = 0, input_format_json_read_objects_as_strings = 0;
DESC format(JSONEachRow, '{"a":{"b":1,"c":"x"}}') SETTINGS input_format_json_try_infer_named_tuples_from_objects = 0;
SELECT *, toTypeName(a), toTypeName(b) FROM format(JSONEachRow, '{"a":[1,[2]],"b":[1,{"c":2}]}') SETTINGS input_format_json_infer_array_of_dynamic_from_array_of_different_types = 0;
DESC format(JSONEachRow, '{"a":[1,"x",null,[1]],"b":[1,"x"],"c":[1,null]}') SETTINGS input_format_json_infer_array_of_dynamic_from_array_of_different_types = 0;
-- A Nested out of files that have it whole.
INSERT INTO FUNCTION file('nested_whole.parquet', Parquet) SELECT [(1, 'x'), (2, 'y')]::Array(Tuple(a Int32, b String)) AS n, 5 AS c UNION ALL SELECT [], 6;
SELECT n.a, n.b, c FROM file('nested_whole.parquet', Parquet, 'n Nested(a Int32, b String), c UInt8') ORDER BY c;
SELECT n.b FROM file('nested_whole.parquet', Parquet, 'n Nested(a Int32, b String), c UInt8') WHERE length(n.a) = 2;
INSERT INTO FUNCTION file('nested_whole.arrow', Arrow) SELECT [(1, 'x'), (2, 'y')]::Array(Tuple(a Int32, b String)) AS n, 5 AS c;
SELECT n.a, n.b, c FROM file('nested_whole.arrow', Arrow, 'n Nested(a Int64, b String), c UInt8');
-- error: TOO_LARGE_STRING_SIZE
SELECT length(repeat('a', 1000001));
SELECT length(repeat('a', 1000000));
