-- Maps as arrays and tuples as arrays in JSON, what tuples do with fields that are missing or unknown, and names of tuples.
CREATE TABLE maps (m Map(String, UInt8), t Tuple(a UInt8, b String), u Tuple(UInt8, String)) ENGINE = Memory;
INSERT INTO maps FORMAT JSONEachRow {"m":{"x":1,"y":2},"t":{"a":1,"b":"q"},"u":[1,"z"]};
SELECT * FROM maps FORMAT JSONEachRow SETTINGS output_format_json_map_as_array_of_tuples = 1;
SELECT * FROM maps FORMAT JSONEachRow SETTINGS output_format_json_named_tuples_as_objects = 0;
SELECT * FROM maps FORMAT JSONEachRow SETTINGS output_format_json_map_as_array_of_tuples = 1, output_format_json_named_tuples_as_objects = 0;
SELECT * FROM maps FORMAT JSONCompact SETTINGS output_format_json_map_as_array_of_tuples = 1, output_format_json_named_tuples_as_objects = 0, output_format_write_statistics = 0;
SELECT * FROM maps FORMAT JSON SETTINGS output_format_json_map_as_array_of_tuples = 1, output_format_write_statistics = 0;
SELECT map('a', 1)::Map(String, UInt8) AS m, map(1, 2) AS n FORMAT JSONColumns SETTINGS output_format_json_map_as_array_of_tuples = 1;
SELECT * FROM format(JSONEachRow, 'm Map(Tuple(UInt8, UInt8), Date)', '{"m":[{"keys":[1,2],"values":"2020-01-01"},{"values":"2020-01-02","keys":[3,4]}]}') SETTINGS input_format_json_map_as_array_of_tuples = 1;
SELECT * FROM format(JSONEachRow, 'm Map(String, UInt8)', '{"m":[["x",1],["y",2]]}') SETTINGS input_format_json_map_as_array_of_tuples = 1, input_format_json_named_tuples_as_objects = 0;
SELECT * FROM format(JSONEachRow, 'm Map(String, UInt8)', '{"m":[{"keys":"x"},{"other":1}]}') SETTINGS input_format_json_map_as_array_of_tuples = 1;
-- error: CANNOT_PARSE_INPUT_ASSERTION_FAILED
SELECT * FROM format(JSONEachRow, 'm Map(String, UInt8)', '{"m":[["x",1]]}') SETTINGS input_format_json_map_as_array_of_tuples = 1;
-- error: CANNOT_READ_ARRAY_FROM_TEXT
SELECT * FROM format(JSONEachRow, 'm Map(String, UInt8)', '{"m":{"x":1}}') SETTINGS input_format_json_map_as_array_of_tuples = 1;
SELECT * FROM format(JSONEachRow, 't Tuple(a UInt8, b String)', '{"t":{"a":1}} {"t":{"a":2,"b":"q","c":[3]}}');
-- error: INCORRECT_DATA
SELECT * FROM format(JSONEachRow, 't Tuple(a UInt8, b String)', '{"t":{"a":1}}') SETTINGS input_format_json_defaults_for_missing_elements_in_named_tuple = 0;
-- error: INCORRECT_DATA
SELECT * FROM format(JSONEachRow, 't Tuple(a UInt8, b String)', '{"t":{"a":2,"b":"q","c":3}}') SETTINGS input_format_json_ignore_unknown_keys_in_named_tuple = 0;
SET enable_named_columns_in_function_tuple = 1;
SELECT toTypeName(tuple(number AS a, number + 1 AS b)) FROM numbers(1) FORMAT TSVRaw;
SELECT tuple(number AS a, 'x' AS b) AS t, t.a, t.b, toTypeName(t) FROM numbers(1) FORMAT TSVRaw;
SELECT toTypeName((number AS a, number + 1)), toTypeName(tuple(1, 2)), toTypeName(tuple(1 AS `a b`)), toTypeName(tuple(1 AS `1`)) FROM numbers(1);
SELECT (number AS n, (number AS m, 1 AS z)) AS t, toTypeName(t) FROM numbers(1) FORMAT JSONEachRow;
SELECT tuple(n.number, n.number + 1 AS q) AS t, toTypeName(t) FROM numbers(1) AS n FORMAT JSONEachRow;
SELECT toTypeName(groupArray((number, number % 2 AS b))) FROM numbers(3) FORMAT TSVRaw;
SELECT toTypeName(materialize((1 AS a, 'y' AS b))), toTypeName(tuple(toUInt8(3) AS Q, 4 AS q)) FORMAT TSVRaw;
SELECT (1 AS a, 2 AS b) IN ((1, 2), (3, 4)), (number, number) IN (SELECT (1, 1)) FROM numbers(2);
SET enable_named_columns_in_function_tuple = 0;
SELECT toTypeName(tuple(number AS a, number + 1 AS b)) FROM numbers(1);
