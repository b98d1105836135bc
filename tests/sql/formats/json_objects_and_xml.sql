-- settings: output_format_write_statistics=0
SELECT number AS n, 'a"/' AS `s x`, [1, number] AS arr, map('k', number) AS m, if(number = 1, NULL, number) AS nl FROM numbers(2) FORMAT JSONObjectEachRow;
SELECT number AS a, 'x' || toString(number) AS name, 2 AS z FROM numbers(2) FORMAT JSONObjectEachRow SETTINGS format_json_object_each_row_column_for_object_name = 'name';
SELECT 1 AS a WHERE 0 FORMAT JSONObjectEachRow;
-- error: BAD_ARGUMENTS
SELECT 1 AS a FORMAT JSONObjectEachRow SETTINGS format_json_object_each_row_column_for_object_name = 'nope';
-- error: BAD_ARGUMENTS
SELECT 1 AS a FORMAT JSONObjectEachRow SETTINGS format_json_object_each_row_column_for_object_name = 'a';
SELECT * FROM format(JSONObjectEachRow, 'n UInt8, s String', '{"row_1":{"n":1,"s":"a"},"row_2":{"s":"b","n":2}}');
SELECT * FROM format(JSONObjectEachRow, 'n UInt8, s String', '{"r 1":{"n":1}, "r\\"2" : {"n":2}}') SETTINGS format_json_object_each_row_column_for_object_name = 's';
SELECT * FROM format(JSONObjectEachRow, 'n UInt8, s String', '{}');
-- error: INCORRECT_DATA
SELECT * FROM format(JSONObjectEachRow, 'n UInt8, s String', '{"r1":{"n":1,"s":"x"},"r2":{"n":2}}') SETTINGS format_json_object_each_row_column_for_object_name = 's';
-- error: CANNOT_PARSE_INPUT_ASSERTION_FAILED
SELECT * FROM format(JSONObjectEachRow, 'n UInt8, s String', '[{"n":1}]');
-- error: BAD_ARGUMENTS
SELECT * FROM format(JSONObjectEachRow, 'n UInt8', '{"r1":{"n":1}}') SETTINGS format_json_object_each_row_column_for_object_name = 'n';
-- error: INCORRECT_DATA
SELECT * FROM format(JSONObjectEachRow, 'n UInt8', '{"r1":{"n":1,"z":3},"r2":{"n":2}}') SETTINGS input_format_skip_unknown_fields = 0;
SELECT * FROM format(JSONObjectEachRow, '{"a":{"n":1,"s":"x"},"b":{"n":2.5,"z":[1]}}') SETTINGS format_json_object_each_row_column_for_object_name = 'nm';
DESCRIBE format(JSONObjectEachRow, '{"a":{"n":1,"s":"x"},"b":{"n":2.5,"z":[1]}}') SETTINGS format_json_object_each_row_column_for_object_name = 'nm';
-- error: CANNOT_EXTRACT_TABLE_STRUCTURE
DESCRIBE format(JSONObjectEachRow, '{"a":{"n":1,"nm":"x"}}') SETTINGS format_json_object_each_row_column_for_object_name = 'nm';
-- Without rows that are read nothing is told of them.
SELECT 1 AS a, 'x' AS b WHERE 0 FORMAT JSONEachRowWithProgress;
SELECT 1 AS a, 'x' AS b WHERE 0 FORMAT JSONStringsEachRowWithProgress;
-- error: FORMAT_IS_NOT_SUITABLE_FOR_INPUT
SELECT * FROM format(JSONEachRowWithProgress, 'n UInt8', '{"row":{"n":1}}');
SELECT number AS n, 'a<b>&"c\'\t/' AS `s x`, [1, number] AS arr, (number, ('q', '<')) AS t, map('k&', ['<']) AS m, if(number = 1, NULL, number) AS nl, toDate('2024-01-02') AS d, number / 3 AS f, true AS b FROM numbers(2) FORMAT XML;
SELECT 1 AS `a.b`, 2 AS `a-b`, 3 AS `1a`, 4 AS `é`, 5 AS `f()`, 6 AS _x, 7 AS `a<b>`, CAST('a<', 'Enum8(\'a<\' = 1)') AS e, [NULL, 1] AS na, CAST([], 'Array(UInt8)') AS ea, NULL AS n FORMAT XML;
SELECT number % 2 AS k, count() AS c FROM numbers(5) GROUP BY k WITH TOTALS ORDER BY k FORMAT XML;
SELECT 1 AS a WHERE 0 FORMAT XML;
