SELECT toJSONString((nan, inf)) SETTINGS output_format_json_quote_denormals = 1;
SELECT toJSONString(nan), toJSONString([inf, -inf]);
SELECT JSON_VALUE('{"a":[1,2]}', '$.b') AS x, toTypeName(x) SETTINGS function_json_value_return_type_allow_nullable = 1;
SELECT JSON_VALUE('{"a":null}', '$.a') AS x, toTypeName(x) SETTINGS function_json_value_return_type_allow_nullable = 1;
SELECT JSON_VALUE('{"a":{"b":1}}', '$.a'), JSON_VALUE('{"a":[1,2]}', '$.a') SETTINGS function_json_value_return_type_allow_complex = 1;
SELECT JSON_VALUE('{"a":{"b":1}}', '$.a'), JSON_VALUE('{"a":{"b":1}}', '$.b');
SELECT JSON_QUERY('{"a":[1,2,3]}', '$.a[0 to 1]'), JSON_QUERY('{"a":[1,2,3]}', '$.a[0 to 2]'), JSON_VALUE('{"a":[1,2,3]}', '$.a[0 to 2]'), JSON_QUERY('{"a":[1,2,3]}', '$.a[1 to 2]'), JSON_QUERY('{"a":[1,2,3]}', '$.a[0,2]'), JSON_QUERY('{"a":[1,2,3]}', '$.a[*]'), JSON_QUERY('{"a":[1,2,3,4]}', '$.a[0, 2 to 3]');
