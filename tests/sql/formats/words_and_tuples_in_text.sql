-- Words for true and false where they are read, tuples of one CSV field, columns whose type nothing tells.
SELECT * FROM format(CSV, 'b Bool', 'oui\nnon\ntrue\n0\n') SETTINGS bool_true_representation = 'oui', bool_false_representation = 'non';
SELECT * FROM format(TSV, 'b Bool, c Nullable(Bool)', 'oui\tnon\n\\N\t\\N\n') SETTINGS bool_true_representation = 'oui', bool_false_representation = 'non';
-- error: CANNOT_PARSE_BOOL
SELECT * FROM format(CSV, 'b Bool', 'oui\n');
SELECT * FROM format(CSV, 'a Tuple(UInt8, String), b UInt8', '1,x,2\n');
SELECT * FROM format(CSV, 'a Tuple(UInt8, String), b UInt8', '"(1,\'x\')",2\n') SETTINGS input_format_csv_deserialize_separate_columns_into_tuple = 0;
DESC format(JSONEachRow, '{"a":null}');
-- error: CANNOT_EXTRACT_TABLE_STRUCTURE
DESC format(JSONEachRow, '{"a":null}') SETTINGS input_format_json_infer_incomplete_types_as_strings = 0;
-- error: CANNOT_EXTRACT_TABLE_STRUCTURE
DESC format(JSONEachRow, '{"a":[]}') SETTINGS input_format_json_infer_incomplete_types_as_strings = 0;
DESC format(JSONEachRow, '{"a":null}{"a":[]}{"a":[1]}') SETTINGS input_format_json_infer_incomplete_types_as_strings = 0;
