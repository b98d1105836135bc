-- Fields of CSV that are no values.
SELECT * FROM format(CSV, 'a UInt8, b UInt8', 'abc,1\n2,x') SETTINGS input_format_csv_use_default_on_bad_values = 1;
SELECT * FROM format(CSV, 'a UInt8, b Date, c Nullable(UInt8)', '300,x,y\n5,2024-01-02,7') SETTINGS input_format_csv_use_default_on_bad_values = 1;
SELECT * FROM format(CSVWithNames, 'a UInt8, b Array(UInt8)', 'a,b\nq,"[1,"') SETTINGS input_format_csv_use_default_on_bad_values = 1;
-- error: UNKNOWN_ELEMENT_OF_ENUM
SELECT * FROM format(CSV, 'a Enum8(\'x\' = 3)', 'zz') SETTINGS input_format_csv_use_default_on_bad_values = 1;
-- Spaces around fields of CSV.
SELECT length(a), length(b) FROM format(CSV, 'a String, b String', ' x , y \n z ,w  \n q , r ');
SELECT length(a), length(b) FROM format(CSV, 'a String, b String', ' x , y \n z ,w  \n') SETTINGS input_format_csv_trim_whitespaces = 0;
SELECT a, length(b), c FROM format(CSV, 'a UInt8, b String, c Date', ' 1 , x , 2024-01-02 ') SETTINGS input_format_csv_trim_whitespaces = 0;
-- Rows with more or fewer values.
SELECT * FROM format(JSONCompactEachRow, 'a UInt8, b String', '[1] [2,"x",5] []') SETTINGS input_format_json_compact_allow_variable_number_of_columns = 1;
SELECT * FROM format(JSONCompactEachRowWithNames, 'a UInt8, b String', '["a","b"] [1] [1,"x",{"z":1}]') SETTINGS input_format_json_compact_allow_variable_number_of_columns = 1;
-- error: CANNOT_PARSE_INPUT_ASSERTION_FAILED
SELECT * FROM format(JSONCompactEachRow, 'a UInt8, b String', '[1]');
-- What else than strings becomes a String.
SELECT * FROM format(JSONEachRow, 'a String', '{"a":5}{"a":true}{"a":[1,2]}{"a":{"b":1}}');
-- error: CANNOT_PARSE_QUOTED_STRING
SELECT * FROM format(JSONEachRow, 'a String', '{"a":5}') SETTINGS input_format_json_read_numbers_as_strings = 0;
-- error: CANNOT_PARSE_QUOTED_STRING
SELECT * FROM format(JSONEachRow, 'a Array(String)', '{"a":[5]}') SETTINGS input_format_json_read_numbers_as_strings = 0;
-- error: INCORRECT_DATA
SELECT * FROM format(JSONEachRow, 'a String', '{"a":true}') SETTINGS input_format_json_read_bools_as_strings = 0;
-- error: INCORRECT_DATA
SELECT * FROM format(JSONEachRow, 'a String', '{"a":[1,2]}') SETTINGS input_format_json_read_arrays_as_strings = 0;
-- error: INCORRECT_DATA
SELECT * FROM format(JSONEachRow, 'a String', '{"a":{"b":1}}') SETTINGS input_format_json_read_objects_as_strings = 0;
-- A Nested in a structure is an array for each of its fields.
SELECT * FROM format(JSONEachRow, 'n Nested(a UInt8, b String)', '{"n.a":[1],"n.b":["x"]}');
SELECT n.a, n.b FROM format(JSONEachRow, 'n Nested(a UInt8, b String)', '{"n":{"a":[1],"b":["x"]}}') SETTINGS input_format_import_nested_json = 1;
DESC format(CSV, 'n Nested(a UInt8, b String), c UInt8', '"[1]","[\'x\']",1');
-- Types of whole numbers that no 64 bits hold, and of numbers in strings.
DESC format(JSONEachRow, '{"a":9223372036854775808,"b":18446744073709551616,"c":-9223372036854775809}');
SELECT * FROM format(JSONEachRow, '{"a":9223372036854775808,"b":18446744073709551616,"c":-9223372036854775809}');
DESC format(TSV, '9223372036854775808\t18446744073709551616');
DESC format(CSV, '9223372036854775808,18446744073709551616');
DESC format(JSONEachRow, '{"a":["1","2"],"b":"-5","c":"1e5","d":"","e":"18446744073709551615","f":"x"}') SETTINGS input_format_json_try_infer_numbers_from_strings = 1;
DESC format(JSONEachRow, '{"a":"1.5"}{"a":"2"}') SETTINGS input_format_json_try_infer_numbers_from_strings = 1;
DESC format(JSONEachRow, '{"a":"1"}{"a":"x"}') SETTINGS input_format_json_try_infer_numbers_from_strings = 1;
DESC format(CSV, '"1",x') SETTINGS input_format_csv_try_infer_numbers_from_strings = 1;
-- Empty lines at the end.
SELECT * FROM format(CSV, 'a String, b String', 'x,y\n\n\n') SETTINGS input_format_csv_skip_trailing_empty_lines = 1;
SELECT * FROM format(TSV, 'a String, b String', 'x\ty\n\n') SETTINGS input_format_tsv_skip_trailing_empty_lines = 1;
-- A number without quotes is days since the epoch for a date.
SELECT * FROM format(JSONEachRow, 'a Date', '{"a":5}{"a":"2024-01-02"}');
