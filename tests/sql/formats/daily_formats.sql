-- Names for data without a header.
DESCRIBE format(CSV, '1,x\n') SETTINGS column_names_for_schema_inference = 'id, name';
DESCRIBE format(TSV, '1\tx\n') SETTINGS column_names_for_schema_inference = 'id,name';
DESCRIBE format(JSONCompactEachRow, '[1,"x"]') SETTINGS column_names_for_schema_inference = 'id, name';
DESCRIBE format(Values, '(1,\'x\')') SETTINGS column_names_for_schema_inference = 'id, name';
DESCRIBE format(CSV, 'p,q\n1,x\n') SETTINGS column_names_for_schema_inference = 'id, name';
SELECT name, id + 1 FROM format(CSV, '1,x\n2,y\n') SETTINGS column_names_for_schema_inference = 'id, name';
-- error: CANNOT_EXTRACT_TABLE_STRUCTURE
DESCRIBE format(CSV, '1,x,3\n') SETTINGS column_names_for_schema_inference = 'id, name';
-- error: CANNOT_EXTRACT_TABLE_STRUCTURE
DESCRIBE format(CSV, '1,2,3\n') SETTINGS column_names_for_schema_inference = 'a, b, a';
-- Nullable where a NULL was seen.
DESCRIBE format(TSV, '1\tx\n\\N\t\\N\n') SETTINGS schema_inference_make_columns_nullable = 'auto';
DESCRIBE format(CSV, '1,x\n2,\\N\n') SETTINGS schema_inference_make_columns_nullable = 'auto';
DESCRIBE format(JSONEachRow, '{"a":1,"b":[1,null]}{"a":null,"b":[]}') SETTINGS schema_inference_make_columns_nullable = 'auto';
DESCRIBE format(Values, '(1,\'x\'),(NULL,\'y\')') SETTINGS schema_inference_make_columns_nullable = 'auto';
-- Bools in any letters in TSV, in small ones in CSV.
DESCRIBE format(TSV, 'True\tFalse\tTRUE\tFALSE\ttrue\ttRue\tT\tyes\n');
DESCRIBE format(CSV, 'True,FALSE,true,T\n');
DESCRIBE format(TSKV, 'a=True\tb=FALSE\n');
DESCRIBE format(TSV, 'col1\tcol2\nTrue\tx\n');
DESCRIBE format(CSV, 'col1,col2\nTrue,x\n');
SELECT * FROM format(TSV, 'flag\tname\nTrue\tx\nFALSE\ty\n');
-- Texts of one array may be dates, and need not.
DESCRIBE format(CSV, '"[\'2020-01-01\', \'abcd\']"');
DESCRIBE format(CSV, '"[[\'2020-01-01\', null, \'1234\'], [\'abcd\']]"');
DESCRIBE format(TSV, '[[\'2020-01-01\', null, \'1234\'], [\'abcd\']]');
DESCRIBE format(CSV, '"{\'a\':\'2020-01-01\',\'b\':\'x\'}"');
DESCRIBE format(CSV, '"[\'2020-01-01\', NULL]"');
DESCRIBE format(CSV, '"[\'2020-01-01\', \'2020-01-01 00:00:00\']"');
DESCRIBE format(CSV, '"[1, 1.5]"\n"[\'x\']"');
DESCRIBE format(CSV, '"[\'2020-01-01\']"\n"[\'x\']"');
DESCRIBE format(CSV, '"[1]"\n"[1.5, NULL]"');
DESCRIBE format(TSV, '{\'a\':1}\n{\'b\':\'x\'}');
SELECT * FROM format(CSV, '"[\'2020-01-01\', \'abcd\']"\n"[]"');
-- Zeroes are no day, and without dates a day is a time.
DESCRIBE format(JSONEachRow, '{"a":"0000-00-00","b":"2024-13-01","c":"2024-01-01"}');
DESCRIBE format(TSV, '0000-00-00\t2024-00-10\t2024-1-1\n');
DESCRIBE format(CSV, '2024-01-01,2024-01-01 00:00:00,2024-01-01 00:00:00.5\n') SETTINGS input_format_try_infer_dates = 0;
DESCRIBE format(JSONEachRow, '{"a":"2024-01-01"}') SETTINGS input_format_try_infer_dates = 0;
DESCRIBE format(CSV, '2024-01-01,2024-01-01 00:00:00\n') SETTINGS input_format_try_infer_dates = 0, input_format_try_infer_datetimes = 0;
-- NULL in plain letters.
SELECT NULL AS x, [NULL] AS y, (1, NULL) AS z FORMAT PrettyCompact SETTINGS output_format_pretty_grid_charset = 'ASCII';
SELECT NULL AS x, 1 AS y FORMAT PrettySpace SETTINGS output_format_pretty_grid_charset = 'ASCII';
SELECT NULL AS x, 1 AS y FORMAT Pretty SETTINGS output_format_pretty_grid_charset = 'ASCII';
SELECT NULL AS x, 1 AS y FORMAT Vertical SETTINGS output_format_pretty_grid_charset = 'ASCII';
SELECT NULL AS x, 1 AS y FORMAT Vertical;
