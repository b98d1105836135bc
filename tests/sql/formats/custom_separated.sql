-- CustomSeparated, written and read, by each escaping rule.
SELECT number AS n, 'a"b\'c\t|,' || toString(number) AS `s x`, [1, number] AS arr, ['x\'', '"'] AS sa, if(number = 1, NULL, 'v') AS nl, toDate('2024-01-02') + number AS d, true AS b FROM numbers(2) FORMAT CustomSeparated;
SELECT number AS n, 'a"b\'c\t|,' || toString(number) AS `s x`, (number, 'q') AS t, if(number = 1, NULL, 'v') AS nl FROM numbers(2) FORMAT CustomSeparatedWithNamesAndTypes SETTINGS format_custom_field_delimiter = '|';
SELECT number AS n, 'a"b\'c\t|,' AS s, ['x\'', '"'] AS sa, (number, 'q') AS t, if(number = 1, NULL, 'v') AS nl, toDate('2024-01-02') AS d FROM numbers(2) FORMAT CustomSeparatedWithNames SETTINGS format_custom_escaping_rule = 'Quoted', format_custom_field_delimiter = '|';
SELECT number AS n, 'a"b\'c\t|,' AS s, ['x\'', '"'] AS sa, (number, 'q') AS t, if(number = 1, NULL, 'v') AS nl, toDate('2024-01-02') AS d FROM numbers(2) FORMAT CustomSeparatedWithNames SETTINGS format_custom_escaping_rule = 'CSV', format_custom_field_delimiter = '|';
SELECT number AS n, 'a"b\'c\t|,/' AS s, ['x\'', '"'] AS sa, (number, 'q') AS t, if(number = 1, NULL, 'v') AS nl, toDate('2024-01-02') AS d FROM numbers(2) FORMAT CustomSeparatedWithNames SETTINGS format_custom_escaping_rule = 'JSON', format_custom_field_delimiter = '|';
SELECT number AS n, 'a"<b&\'c|,' AS s, ['x\'', '"'] AS sa, (number, 'q') AS t, if(number = 1, NULL, 'v') AS nl, toDate('2024-01-02') AS d FROM numbers(2) FORMAT CustomSeparatedWithNames SETTINGS format_custom_escaping_rule = 'XML', format_custom_field_delimiter = '|';
SELECT number AS n, 'a"b\'c\\|,' AS s, ['x\'', '"'] AS sa, if(number = 1, NULL, 'v') AS nl FROM numbers(2) FORMAT CustomSeparatedWithNames SETTINGS format_custom_escaping_rule = 'Raw', format_custom_field_delimiter = '|';
SELECT number AS n, 'v' AS s FROM numbers(3) FORMAT CustomSeparatedWithNames SETTINGS format_custom_field_delimiter = '<F>', format_custom_row_before_delimiter = '<B>', format_custom_row_after_delimiter = '<A>\n', format_custom_row_between_delimiter = '<N>\n', format_custom_result_before_delimiter = '<RB>\n', format_custom_result_after_delimiter = '<RA>\n';
SELECT 1 AS a WHERE 0 FORMAT CustomSeparatedWithNames SETTINGS format_custom_result_before_delimiter = '<RB>', format_custom_result_after_delimiter = '<RA>\n', format_custom_row_between_delimiter = '<N>';
SELECT number % 2 AS k, count() AS c FROM numbers(5) GROUP BY k WITH TOTALS ORDER BY k FORMAT CustomSeparated;
-- error: BAD_ARGUMENTS
SELECT 1 FORMAT CustomSeparated SETTINGS format_custom_escaping_rule = 'None';
-- error: BAD_ARGUMENTS
SET format_custom_escaping_rule = 'csv';
SELECT * FROM format(CustomSeparated, 'n UInt8, s String', '1\ta\\tb\n2\tc\n');
SELECT * FROM format(CustomSeparated, 'n UInt8, s Nullable(String)', '\t\\N\n2\t\n');
SET format_custom_escaping_rule = 'CSV';
SET format_custom_field_delimiter = '|';
SELECT * FROM format(CustomSeparated, 'n UInt8, s String, a Array(String), x Nullable(String)', '1|"a|b"|"[\'x\',\'y\']"|\\N\n2|c|[]|z\n');
SELECT * FROM format(CustomSeparated, 'n UInt8, s String', '1| a \n\\N|\n|"a\nb"\n');
SELECT * FROM format(CustomSeparated, 'n UInt8, s String', '1|a|b\n');
-- error: CANNOT_PARSE_INPUT_ASSERTION_FAILED
SELECT * FROM format(CustomSeparated, 'n UInt8, s String', '1|a\n2\n');
-- error: CANNOT_PARSE_INPUT_ASSERTION_FAILED
SELECT * FROM format(CustomSeparated, 'n UInt8, s String', 'x|a\n');
-- error: CANNOT_PARSE_INPUT_ASSERTION_FAILED
SELECT * FROM format(CustomSeparated, 'n UInt8, s String', '1|a\n\n\n');
SELECT * FROM format(CustomSeparated, 'n UInt8, s String', '1|a\n\n\n') SETTINGS input_format_custom_skip_trailing_empty_lines = 1;
SELECT * FROM format(CustomSeparated, 'n UInt8, s String', '1|a\nx|b\n3|c\n') SETTINGS input_format_allow_errors_num = 1;
SELECT * FROM format(CustomSeparated, 'n UInt8, s String', '1|a\n2\n3|c|d\n') SETTINGS input_format_custom_allow_variable_number_of_columns = 1;
SELECT * FROM format(CustomSeparatedWithNames, 'n UInt8, s String', 's|n\na|1\n');
SELECT * FROM format(CustomSeparatedWithNames, 'n UInt8, s String', 's|n|zz\na|1|2\n');
-- error: INCORRECT_DATA
SELECT * FROM format(CustomSeparatedWithNames, 'n UInt8, s String', 's|n|zz\na|1|2\n') SETTINGS input_format_skip_unknown_fields = 0;
SELECT * FROM format(CustomSeparatedWithNamesAndTypes, 'n UInt8, s String', 's|n\nString|UInt8\na|1\n');
-- error: INCORRECT_DATA
SELECT * FROM format(CustomSeparatedWithNamesAndTypes, 'n UInt8, s String', 's|n\nString|Int8\na|1\n');
SELECT * FROM format(CustomSeparated, 'n UInt8, s String', 's|n\na|1\n');
SELECT * FROM format(CustomSeparated, 'n UInt8, s String', 's|n\nString|UInt8\na|1\n');
-- error: CANNOT_PARSE_INPUT_ASSERTION_FAILED
SELECT * FROM format(CustomSeparated, 'n UInt8, s String', 's|n\na|1\n') SETTINGS input_format_custom_detect_header = 0;
SELECT * FROM format(CustomSeparated, 's|n\na|1\n');
SELECT * FROM format(CustomSeparated, 'a|1|[1]|2024-01-02\n');
DESCRIBE format(CustomSeparated, '"a"|1|"[1]"|2024-01-02|\\N\n');
DESCRIBE format(CustomSeparatedWithNamesAndTypes, 's|n\nString|UInt8\na|1\n');
SET format_custom_escaping_rule = 'Quoted';
SELECT * FROM format(CustomSeparated, 'n UInt8, s String, a Array(String), x Nullable(String)', '1|\'a|b\'|[\'x|\',\'y\']|NULL\n2|\'c\'|[]|\'z\'\n');
SELECT * FROM format(CustomSeparated, 'd Date, f Float64, b Bool', '\'2024-01-02\'|1.5|true\n');
DESCRIBE format(CustomSeparated, '\'a\'|1|[1]|\'2024-01-02\'|NULL\n\'b\'|2|[]|\'x\'|1\n');
SET format_custom_escaping_rule = 'JSON';
SELECT * FROM format(CustomSeparated, 'n UInt8, s String, a Array(String), x Nullable(String)', '1|"a|b"|["x|","y"]|null\n2|"c"|[]|"z"\n');
-- error: INCORRECT_DATA
SELECT * FROM format(CustomSeparated, 's String, n UInt8', 'abc|1\n');
SET format_custom_escaping_rule = 'XML';
-- error: BAD_ARGUMENTS
SELECT * FROM format(CustomSeparated, 's String, n UInt8', 'abc|1\n');
SET format_custom_escaping_rule = 'Escaped';
-- error: BAD_ARGUMENTS
SELECT * FROM format(CustomSeparated, 's String, n UInt8', 'abc|1\n');
SELECT * FROM format(CustomSeparated, 'n UInt8, m UInt8', '1|2\n');
SET format_custom_escaping_rule = 'CSV', format_custom_field_delimiter = '#F#', format_custom_row_before_delimiter = '<', format_custom_row_after_delimiter = '>', format_custom_row_between_delimiter = '/', format_custom_result_before_delimiter = '[', format_custom_result_after_delimiter = ']';
SELECT number AS n, 'a' || toString(number) AS s FROM numbers(3) FORMAT CustomSeparated SETTINGS format_custom_result_after_delimiter = ']\n';
SELECT * FROM format(CustomSeparated, 'n UInt8, s String', '[<0#F#"a0">/<1#F#a1>]');
SELECT * FROM format(CustomSeparated, 'n UInt8, s String', '[]');
-- error: CANNOT_PARSE_INPUT_ASSERTION_FAILED
SELECT * FROM format(CustomSeparated, 'n UInt8, s String', '[<0#F#"a0">/<1#F#a1>');
-- error: CANNOT_PARSE_INPUT_ASSERTION_FAILED
SELECT * FROM format(CustomSeparated, 'n UInt8, s String', '<0#F#"a0">]');
