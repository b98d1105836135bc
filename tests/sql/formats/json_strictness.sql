-- JSON values have to be of the kind that their type is written as, and a field comes once.
-- error: INCORRECT_DATA
SELECT * FROM format(JSONEachRow, 'i Int32, s String', '{"i":751,"i":752}');
-- What is left of a row is passed over once every column has its value.
SELECT * FROM format(JSONEachRow, 'i Int32, s String', '{"i":751,"s":"x","i":752}{"s":"y","i":753,"s":[]}');
-- error: INCORRECT_DATA
SELECT * FROM format(JSONEachRow, 'i Int32', '{"i":751,"i":752}') SETTINGS input_format_json_ignore_unnecessary_fields = 0;
SELECT * FROM format(JSONEachRow, 'i Int32', '{"i":1,"u":1,"u":2}');
-- error: INCORRECT_DATA
SELECT * FROM format(JSONEachRow, 't Tuple(a Int32, b String)', '{"t":{"a":1,"a":2,"b":"q"}}');
-- error: CANNOT_PARSE_INPUT_ASSERTION_FAILED
SELECT * FROM format(JSONEachRow, 'i Int32', '{"i":753.0}');
-- error: CANNOT_PARSE_INPUT_ASSERTION_FAILED
SELECT * FROM format(JSONEachRow, 'i Int32', '{"i":1e3}');
SELECT * FROM format(JSONEachRow, 'i Int32, f Float64, d Decimal(9, 2), s String', '{"i":"753","f":1e3,"d":753.0,"s":1e3}');
-- error: CANNOT_READ_ARRAY_FROM_TEXT
SELECT * FROM format(JSONEachRow, 'a Array(Int32)', '{"a":"[1,2]"}');
-- error: CANNOT_PARSE_INPUT_ASSERTION_FAILED
SELECT * FROM format(JSONEachRow, 't Tuple(a Int32, b String)', '{"t":[1,"q"]}');
SELECT * FROM format(JSONEachRow, 't Tuple(a Int32, b String)', '{"t":[1,"q"]}') SETTINGS input_format_json_named_tuples_as_objects = 0;
-- error: CANNOT_PARSE_INPUT_ASSERTION_FAILED
SELECT * FROM format(JSONEachRow, 't Tuple(a Int32, b String)', '{"t":{"a":1,"b":"q"}}') SETTINGS input_format_json_named_tuples_as_objects = 0;
SELECT * FROM format(JSONEachRow, 't Tuple(Int32, String)', '{"t":[1,"q"]}');
-- error: CANNOT_PARSE_INPUT_ASSERTION_FAILED
SELECT * FROM format(JSONEachRow, 't Tuple(Int32, String)', '{"t":{"a":1,"b":"q"}}');
-- error: CANNOT_PARSE_INPUT_ASSERTION_FAILED
SELECT * FROM format(JSONEachRow, 't Tuple(Int32, String)', '{"t":"(1,\'q\')"}');
-- error: CANNOT_PARSE_INPUT_ASSERTION_FAILED
SELECT * FROM format(JSONEachRow, 'm Map(Int32, Int32)', '{"m":[[1,2]]}');
SELECT * FROM format(JSONEachRow, 'm Map(Int32, Array(Int32))', '{"m":{"1":[2,"3"]}}');
SELECT * FROM format(JSONStringsEachRow, 'm Array(Int32), t Tuple(a Int32, b String)', '{"m":"[1,2]","t":"(1,\'q\')"}');
-- error: CANNOT_PARSE_ESCAPE_SEQUENCE
SELECT * FROM format(JSONEachRow, 's String', '{"s":"\\ud83d"}');
-- error: CANNOT_PARSE_ESCAPE_SEQUENCE
SELECT * FROM format(JSONEachRow, 's String', '{"s":"\\ud83d\\u0041"}');
SELECT hex(s) FROM format(JSONEachRow, 's String', '{"s":"\\udc00"}{"s":"\\ud83d\\ude00"}');
SELECT * FROM format(JSONEachRow, '`n.a` Array(Int32), `n.b` Array(String)', '{"n":{"a":[1],"b":["x"],"c":[3]}} {"n":{"b":["y"]},"n.a":[2]} {"n":{}}') SETTINGS input_format_import_nested_json = 1;
SELECT * FROM format(JSONEachRow, '`n.a` Array(Int32), `n.b` Array(String)', '{"n":{"a":[1],"b":["x"]}}');
SELECT * FROM format(JSONEachRow, '`n.a` Int32, n Int32', '{"n":{"a":1}}') SETTINGS input_format_import_nested_json = 1;
-- error: CANNOT_PARSE_INPUT_ASSERTION_FAILED
SELECT * FROM format(JSONEachRow, '`n.a` Array(Int32)', '{"n":null}') SETTINGS input_format_import_nested_json = 1;
-- error: INCORRECT_DATA
SELECT * FROM format(JSONEachRow, '`n.a` Array(Int32), `n.b` Array(String)', '{"n.b":["y"],"n":{"b":["z"]}}') SETTINGS input_format_import_nested_json = 1;
CREATE TABLE nest (id Int32, n Nested(a Int32, b String)) ENGINE = Memory;
INSERT INTO nest SETTINGS input_format_import_nested_json = 1 FORMAT JSONEachRow {"id":6,"n":{"a":[1],"b":["x"]}};
SELECT * FROM nest;
DROP TABLE nest;
