SELECT * FROM format(JSONEachRow, 'a Int32, b String', '{"a": 1, "b": "x\\u0041\\n"}\n{"b": "no a"}') ORDER BY a;
SELECT * FROM format(JSONEachRow, 'a Nullable(Int32)', '{"a": null}');
SELECT * FROM format(JSONEachRow, 'a Int32', '{"a": "5", "unknown": [1, {"x": 2}]}');
-- error: INCORRECT_DATA
SELECT * FROM format(JSONEachRow, 'a Int32', '{"a": 5, "unknown": 1}') SETTINGS input_format_skip_unknown_fields = 0;
SELECT * FROM format(JSONEachRow, 'a Array(Int32), t Tuple(x Int32, y String), m Map(String, Int32)', '{"a": [1, 2], "t": {"x": 5, "y": "q"}, "m": {"k": 1}}');
SELECT * FROM format(JSONEachRow, '[{"a": 1}, {"a": 2}]') ORDER BY a;
SELECT * FROM format(JSON, '{"meta": [{"name": "a", "type": "UInt8"}], "data": [{"a": 7}]}');
DESCRIBE TABLE format(JSONEachRow, '{"i": 1, "f": 1.5, "s": "x", "b": true, "a": [1], "o": {"k": 1}, "d": "2024-01-01", "t": "2024-01-01 00:00:00", "n": null}');
-- error: CANNOT_READ_ALL_DATA
SELECT * FROM format(JSONEachRow, 'a Int32', '{"a": 1');
SELECT * FROM format(JSONCompactEachRow, 'a Int32, b String', '[1, "x"]\n[2, "y"]') ORDER BY a;
SELECT a, toTypeName(a) FROM format(JSONEachRow, '{"a": 1}\n{"a": 2.5}') ORDER BY a;
SELECT line FROM format(LineAsString, 'one\ntwo') ORDER BY line;
SELECT json FROM format(JSONAsString, '{"a": 1} {"b": 2}') ORDER BY json;

-- Names of fields with escapes, in rows that are not alike.
SELECT * FROM format(JSONEachRow, 'ab Int32, `c"d` Int32', '{"a\\u0062": 1, "c\\"d": 2}\n{"ab": 3, "c\\"d": 4}\n{"c\\u0022d": 5, "a\\u0062": 6}\n{"a\\u0062" : 7 , "c\\"d" : 8}');
