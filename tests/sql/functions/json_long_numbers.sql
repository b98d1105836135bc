-- Whole numbers that no 64 bits hold are strings of their digits.
SELECT JSONExtractString('{"wei": 123456789012345678901234567890}', 'wei') AS wei;
SELECT JSONExtractRaw('[18446744073709551615, 18446744073709551616, -9223372036854775809, 1e20]');
SELECT JSONType('18446744073709551616'), JSONType('18446744073709551615'), JSONType('1e30');
SELECT JSONExtract('{"a": 123456789012345678901234567890, "b": "-123456789012345678901234567890"}', 'Tuple(a UInt256, b Int128)');
SELECT JSONExtract('{"a": 123456789012345678901234567890}', 'Map(String, String)');
SELECT JSONExtractInt('18446744073709551616'), JSONExtractFloat('18446744073709551616'), JSONExtract('18446744073709551616', 'UInt64');
SELECT JSON_VALUE('{"a": 18446744073709551616}', '$.a'), JSON_QUERY('{"a": [18446744073709551616]}', '$.a');
SELECT JSONExtractFloat('{"a": 1e400}', 'a'), JSONExtractRaw('[-0, 0, -1]');
-- JSON_QUERY writes values anew, as JSONExtractRaw does.
SELECT JSON_QUERY('{"o": { "x" : 1.50, "y": 1e2 , "z": "\\u00e9/" }}', '$.o');
SELECT JSON_QUERY('{"o": [ 1.50, -0, "a\\u0041\\n", null, { } ]}', '$.o[*]'), JSON_QUERY('{"o": []}', '$.p');
-- The key that a path leads to, be it named or counted.
SELECT JSONKey('{"a": 1, "b": {"c": 2}}', 'b', 'c'), JSONKey('{"a": 1, "b": {"c": 2}}', 'b', 1), JSONKey('{"a": 1}', 'z'), JSONKey('[1]', 1);
-- Keys without double quotes are no JSON.
SELECT JSONHas('{a: 1}'), JSONType('{a: 1}'), JSONExtractRaw('{\'a\': 1}'), JSONExtract('{a: 1}', 'Nullable(String)'), JSON_EXISTS('{a: 1}', '$');
