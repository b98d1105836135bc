SELECT * FROM format(CSV, 'a Int32, b String', '1,"quoted ""x"""\n2,unquoted text\n3,""');
SELECT * FROM format(CSV, 'a Nullable(Int32), b Nullable(String)', '\\N,\\N\n1,x');
SELECT * FROM format(CSV, 'a Int32, b String', '1;x\n2;y') SETTINGS format_csv_delimiter = ';';
SELECT * FROM format(CSVWithNames, '"b","a"\n"x",1');
SELECT * FROM format(CSV, '1,x\n2,y') ORDER BY 1;
SELECT * FROM format(CSV, 'a Int32, b Int32 DEFAULT 7', '1,\n2,3') ORDER BY a;
SELECT * FROM format(CSV, 'a Array(Int32), d Date, t DateTime, f Float64, u Bool', '"[1,2]",2024-01-01,"2024-01-01 01:02:03",1.5e2,true');
-- error: CANNOT_PARSE_INPUT_ASSERTION_FAILED
SELECT * FROM format(CSV, 'a Int32, b Int32', '1\n2,3');
-- error: INCORRECT_DATA
SELECT * FROM format(CSV, 'a Int32', 'abc');
SELECT * FROM format(CSV, 'a Int32, b String', 'skip me\n1,x') SETTINGS input_format_csv_skip_first_lines = 1;
SELECT * FROM format(CSV, 'a Int32', '1\nbad\n3') ORDER BY a SETTINGS input_format_allow_errors_num = 1;
SELECT * FROM format(CSV, 'a Int32, b String', '1,x,extra\n2') ORDER BY a SETTINGS input_format_csv_allow_variable_number_of_columns = 1;
DESCRIBE TABLE format(CSV, '1,1.5,abc,2024-01-01,2024-01-01 00:00:00,true,"[1,2]"');
