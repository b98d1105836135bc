SELECT 'red ' AS a, 'b\t' AS b, 'c' AS c FORMAT PrettyCompact SETTINGS output_format_pretty_color = 1;
SELECT 'red ' AS a, 'b\t' AS b, '' AS c, 'd  \n' AS d, 5 AS e FORMAT Vertical SETTINGS output_format_pretty_color = 1;
SELECT 'a long value' AS a, 'b' AS b FORMAT PrettySpace SETTINGS output_format_pretty_color = 1, output_format_pretty_max_value_width = 6;
