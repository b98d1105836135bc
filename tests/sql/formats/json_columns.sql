-- settings: output_format_write_statistics=0
SELECT number a, toString(number) b, [number] c, if(number = 1, NULL, number) d FROM numbers(3) FORMAT JSONColumns;
SELECT number a, toString(number) b, [number, 2] c, tuple(1, 'x') t, CAST((1, 2) AS Tuple(x Int8, y Int8)) u FROM numbers(2) FORMAT JSONCompactColumns;
SELECT number a, toString(number) b FROM numbers(2) FORMAT JSONColumnsWithMetadata;
SELECT number % 2 a, count() b FROM numbers(3) GROUP BY a WITH TOTALS ORDER BY a FORMAT JSONColumnsWithMetadata;
SELECT toUInt64(1) `a"b`, 'x/' AS `c\\d` SETTINGS output_format_json_quote_64bit_integers = 1 FORMAT JSONColumns;
SELECT * FROM format(JSONColumns, 'a Int32, b String, c Int8', '{"a":[1,2],"b":["x","y"],"z":[1,2]}');
SELECT b FROM format(JSONColumns, 'a Int32, b String', '{"a":[1,2],"b":["x","y"]}');
SELECT * FROM format(JSONColumns, 'a Int32, b String', ' {"a":[1,2]} {"a":[3], "b" : ["z"]}\n');
-- error: INCORRECT_DATA
SELECT * FROM format(JSONColumns, 'a Int32, b String', '{"a":[1,2],"b":["x"]}');
-- error: INCORRECT_DATA
SELECT * FROM format(JSONColumns, 'a Int32, b String', '{"a":[1,2],"a":[1,2]}');
-- error: CANNOT_PARSE_INPUT_ASSERTION_FAILED
SELECT * FROM format(JSONColumns, 'a Int32, b String', '{"a":[1,"x"]}');
-- error: CANNOT_PARSE_INPUT_ASSERTION_FAILED
SELECT * FROM format(JSONColumns, 'a Int32, b String', '[1]');
SELECT * FROM format(JSONColumns, 'a Int32, b String', '{"a":[]}');
SELECT * FROM format(JSONColumns, 'a Int32, b String', '{}');
SELECT * FROM format(JSONColumns, 'a Int32, b String', '');
SELECT * FROM format(JSONCompactColumns, 'a Int32, b String', '[[1,2],["x","y"]]');
SELECT * FROM format(JSONCompactColumns, 'a Int32, b String', '[[1,2]]');
-- error: INCORRECT_DATA
SELECT * FROM format(JSONCompactColumns, 'a Int32, b String', '[[1,2],["x","y"],[1,2]]');
SELECT * FROM format(JSONColumnsWithMetadata, 'a Int32, b String', '{"meta":[{"name":"a","type":"Int32"},{"name":"b","type":"String"}],"data":{"a":[1,2],"b":["x","y"]},"rows":2,"statistics":{"elapsed":0.1}}');
-- error: INCORRECT_DATA
SELECT * FROM format(JSONColumnsWithMetadata, 'a Int32, b String', '{"data":{"a":[1,2],"b":["x","y"]}}');
SELECT * FROM format(JSONColumns, '{"a":[1,2],"b":["x","y"],"c":[null,1.5]}');
DESCRIBE format(JSONColumns, '{"a":[1,2],"b":["x","y"],"c":[null,1.5],"d":[[1],[]],"e":[{"x":1},{"x":2}]}');
DESCRIBE format(JSONCompactColumns, '[[1,2],["x","2020-01-01"],["2020-01-01",null]]');
DESCRIBE format(JSONColumnsWithMetadata, '{"meta":[{"name":"a","type":"Int32"},{"name":"b","type":"String"}],"data":{"a":[1,2],"b":["x","y"]},"rows":2}');
CREATE TABLE d (a Int32, b String DEFAULT concat('d', toString(a))) ENGINE = Memory;
INSERT INTO d FORMAT JSONColumns {"a":[1,2,3]};
INSERT INTO d FORMAT JSONColumns {"a":[4,5],"b":["x","y"]};
SELECT * FROM d ORDER BY a;
DROP TABLE d;
INSERT INTO FUNCTION file('columns.jsoncolumns') SELECT number a, toString(number) b FROM numbers(70000);
SELECT count(), sum(a), max(b), uniqExact(a) FROM file('columns.jsoncolumns');
