-- Spaces of one line may stand before fields and delimiters.
SET format_custom_escaping_rule = 'CSV', format_custom_field_delimiter = ',';
SELECT * FROM format(CustomSeparatedIgnoreSpaces, 'n Int32, s String, m Int32', '1, abc, 3\n 2 ,\t"d e" , 4 \n');
SELECT * FROM format(CustomSeparatedIgnoreSpaces, 'n Int8, s String, a Array(Int8)', ' 1 , x y , "[ 1 , 2 ]"  \n 3 ,  z , []\n');
SELECT * FROM format(CustomSeparatedIgnoreSpaces, 'n Int32, m Nullable(Int32)', ' 1 ,  \n 2, \\N\n');
SELECT * FROM format(CustomSeparatedIgnoreSpacesWithNames, 's String, n Int8', ' n , "s" \n 1 , x y \n 3 ,  z \n');
SELECT * FROM format(CustomSeparatedIgnoreSpacesWithNames, 's String, n Int8', ' "n" , "s" \n 1 , x y \n 3 ,  z \n  \n');
SELECT * FROM format(CustomSeparatedIgnoreSpaces, 'n Int32, m Int32', ' 1 , 2 \n 4 \n') SETTINGS input_format_custom_allow_variable_number_of_columns = 1;
SELECT * FROM format(CustomSeparatedIgnoreSpaces, 'n Int32, m Int32', ' 1 , 2\n x , 4 \n 5 , 6 \n') SETTINGS input_format_allow_errors_num = 1;
SELECT * FROM format(CustomSeparatedIgnoreSpaces, 'n Int32, m Int32', ' 1 | 2 | 3 | 4 |') SETTINGS format_custom_field_delimiter = '|', format_custom_row_after_delimiter = '|';
SELECT * FROM format(CustomSeparatedIgnoreSpaces, 'n Int32, m Int32', ' 1 || 2 // 3 || 4 //  ') SETTINGS format_custom_field_delimiter = '||', format_custom_row_after_delimiter = '//';
-- error: CANNOT_PARSE_INPUT_ASSERTION_FAILED
SELECT * FROM format(CustomSeparatedIgnoreSpaces, 'n Int32, m Int32', '\n 1 , 2\n');
SET format_custom_escaping_rule = 'Quoted';
SELECT * FROM format(CustomSeparatedIgnoreSpaces, ' 1 , \'x y\' , [ 1 , 2 ]  \n 3 ,  \'z\' , []\n  \n');
SELECT * FROM format(CustomSeparatedIgnoreSpaces, 'n Int32, s String', '1 , \'a , b\' \n\t2\t,\t\'c\'\t\n');
SET format_custom_escaping_rule = 'JSON';
SELECT * FROM format(CustomSeparatedIgnoreSpacesWithNamesAndTypes, ' "n" , "s t" \n "Int32" , "String"  \n 1 , "x y" \n');
DESCRIBE format(CustomSeparatedIgnoreSpaces, ' 1 , "b", [ 1 , 2 ] \n');
SET format_custom_escaping_rule = 'Escaped';
SELECT * FROM format(CustomSeparatedIgnoreSpaces, 'n Int32, m Int32', ' 1 , 2 \n 3 ,4\n');
-- A delimiter of spaces is passed over with them.
-- error: CANNOT_PARSE_INPUT_ASSERTION_FAILED
SELECT * FROM format(CustomSeparatedIgnoreSpaces, 'n Int32, m Int32', '1\t2\n') SETTINGS format_custom_field_delimiter = '\t';
SET format_custom_escaping_rule = 'CSV', format_custom_row_before_delimiter = '(', format_custom_row_after_delimiter = ')', format_custom_row_between_delimiter = ';', format_custom_result_before_delimiter = '[', format_custom_result_after_delimiter = ']';
SELECT * FROM format(CustomSeparatedIgnoreSpaces, 'n Int32, s String', '[ ( 1 , "x" ) ;  ( 2 , "y" )  ]  ');
SELECT * FROM format(CustomSeparatedIgnoreSpaces, 'n Int32, s String', ' [(1,x) ;(2 ,"y"  ) ] \n');
-- error: CANNOT_PARSE_INPUT_ASSERTION_FAILED
SELECT * FROM format(CustomSeparatedIgnoreSpaces, 'n Int32, s String', '[ ( 1 , "x" ) ;\n  ( 2 , "y" )  ]  ');
-- error: FORMAT_IS_NOT_SUITABLE_FOR_OUTPUT
SELECT 1 FORMAT CustomSeparatedIgnoreSpaces;
SELECT name, is_input, is_output FROM system.formats WHERE name LIKE 'CustomSeparated%' ORDER BY name;
