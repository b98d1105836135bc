SELECT JSONExtractInt('{"a": 5}', 'a'), JSONExtractString('{"a": "x"}', 'a'), JSONExtractFloat('{"a": 1.5}', 'a'), JSONExtractBool('{"a": true}', 'a'), JSONExtractUInt('{"a": 7}', 'a');
SELECT JSONExtract('{"a": [1, 2]}', 'a', 'Array(Int32)'), JSONExtract('{"a": {"b": "c"}}', 'a', 'b', 'String'), JSONExtractRaw('{"a": [1, {"b":2}]}', 'a'), JSONExtractArrayRaw('{"a": [1, "x"]}', 'a');
SELECT JSONHas('{"a": 1}', 'a'), JSONHas('{"a": 1}', 'b'), JSONLength('{"a": [1, 2, 3]}', 'a'), JSONType('{"a": 1}', 'a'), JSONType('{"a": "x"}', 'a'), isValidJSON('{'), isValidJSON('{"a":1}'), JSONKey('{"a":1}', 1);
SELECT JSONExtractString('{"a": "x"}', 'missing'), JSONExtractInt('not json', 'a'), JSONExtractKeysAndValues('{"a": 1, "b": 2}', 'Int32'), JSONExtractKeys('{"a": 1, "b": 2}');
SELECT JSON_VALUE('{"a": {"b": 5}}', '$.a.b'), JSON_QUERY('{"a": [1,2]}', '$.a'), JSON_EXISTS('{"a": 1}', '$.a'), simpleJSONExtractInt('{"a":5}', 'a'), visitParamExtractString('{"a":"x"}', 'a'), simpleJSONHas('{"a":5}', 'a');
SELECT toJSONString((1, 'a')), toJSONString([1, 2]), toJSONString(map('a', 1)), toJSONString('x"y'), toJSONString(NULL);
SELECT JSONExtract('{"a": 1, "b": "x"}', 'Tuple(a Int32, b String)'), JSONExtractString('[1, "two"]', 2), JSONExtractInt('[1, 2]', -1);
SELECT simpleJSONExtractString('{"a": "x", "b":"y"}', 'a') AS behind_a_space, simpleJSONExtractString('{"a": "x", "b":"y"}', 'b'), simpleJSONExtractString('{"a":\n"x"}', 'a'), simpleJSONExtractString('{"a":5}', 'a');
