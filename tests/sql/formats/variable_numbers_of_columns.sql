SELECT * FROM format(JSONCompactEachRow, '[1,1]\n[2]\n[]\n[3,3,3,3]') SETTINGS input_format_json_compact_allow_variable_number_of_columns = 1;
SELECT * FROM format(JSONCompactEachRowWithNames, '["x","y"]\n[1]\n[2,3]\n[]\n[4,5,6]') SETTINGS input_format_json_compact_allow_variable_number_of_columns = 1;
SELECT * FROM format(JSONCompactStringsEachRow, '["x","y"]\n["1"]\n[]') SETTINGS input_format_json_compact_allow_variable_number_of_columns = 1;
-- An empty line has no fields.
SELECT * FROM format(TSV, '1\t1\n2\n\n3\t3\t3\t3') SETTINGS input_format_tsv_allow_variable_number_of_columns = 1;
SELECT * FROM format(TSVWithNames, 'x\ty\n1\t1\n2\n\n3\t3\t3\t3') SETTINGS input_format_tsv_allow_variable_number_of_columns = 1;
SELECT * FROM format(TSV, 'x Nullable(String), y UInt32', '1\t1\n\n3\t3\t3\t3') SETTINGS input_format_tsv_allow_variable_number_of_columns = 1;
