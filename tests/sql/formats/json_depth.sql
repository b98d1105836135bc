-- What no column takes has so many levels at most; values of columns have as many as their types.
SELECT * FROM format(JSONEachRow, 'a UInt8', '{"a":1, "x":[[1]]}') SETTINGS input_format_json_max_depth = 2;
SELECT * FROM format(JSONEachRow, 'a UInt8', '{"a":1, "x":[[[], {}]]}') SETTINGS input_format_json_max_depth = 2;
SELECT * FROM format(JSONEachRow, 'a Array(Array(Array(UInt8)))', '{"a":[[[1]]]}') SETTINGS input_format_json_max_depth = 2;
SELECT * FROM format(JSONEachRow, 'a String', '{"a":[[[1]]]}') SETTINGS input_format_json_max_depth = 2;
-- error: TOO_DEEP_RECURSION
SELECT * FROM format(JSONEachRow, 'a UInt8', '{"a":1, "x":[[[1]]]}') SETTINGS input_format_json_max_depth = 2;
-- error: TOO_DEEP_RECURSION
SELECT * FROM format(JSONEachRow, 'a UInt8', '{"x":{"b":{"c":{"d":1}}},"a":1}') SETTINGS input_format_json_max_depth = 2;
-- error: TOO_DEEP_RECURSION
SELECT * FROM format(JSONEachRow, 'a UInt8', '{"a":1, "x":[1]}') SETTINGS input_format_json_max_depth = 0;
SELECT * FROM format(JSONEachRow, 'a UInt8', '{"a":1, "x":"[[[["}') SETTINGS input_format_json_max_depth = 0;
-- error: TOO_DEEP_RECURSION
SELECT * FROM format(JSONEachRow, 'a Tuple(b UInt8)', '{"a":{"b":1,"y":[[[1]]]}}') SETTINGS input_format_json_max_depth = 2;
-- error: TOO_DEEP_RECURSION
SELECT * FROM format(JSONCompactEachRow, 'a UInt8', '[1,[[[2]]]]') SETTINGS input_format_json_max_depth = 2, input_format_json_compact_allow_variable_number_of_columns = 1;
-- error: TOO_DEEP_RECURSION
SELECT * FROM format(JSON, 'a UInt8', '{"meta":[{"name":"a","type":"UInt8"}],"data":[{"a":1}],"z":[[[1]]]}') SETTINGS input_format_json_max_depth = 2;
SELECT * FROM format(JSONEachRow, 'a UInt8', concat('{"a":1, "x":', repeat('[', 1000), repeat(']', 1000), '}'));
-- error: TOO_DEEP_RECURSION
SELECT * FROM format(JSONEachRow, 'a UInt8', concat('{"a":1, "x":', repeat('[', 1002), repeat(']', 1002), '}'));
