-- Control characters and escape sequences take no room, and a tab goes to the next multiple of eight.
SELECT 'a\tb' AS x FORMAT PrettyCompact;
SELECT 'a\tb' AS x, 'c\td' AS y FORMAT Pretty;
SELECT 'a\tb' AS x, 'c\td' AS y FORMAT PrettySpace;
SELECT 'a\tb' AS x, 'c\td' AS y FROM numbers(12) FORMAT PrettyCompact;
SELECT 'a\tb' AS x FORMAT PrettyCompact SETTINGS output_format_pretty_row_numbers = 0;
SELECT 'aaaaaaaaaa\tb' AS x, '\t\t' AS y, '\t' AS z FORMAT PrettyCompact;
SELECT 'a\x01b\x7fc' AS x, '\x1b[31;1mred\x1b[0m' AS z, '你好\t中' AS w FORMAT PrettyCompact;
-- Values of several lines.
SELECT 'a\tb\nccc\tdd' AS x, 'c\td' AS y FORMAT PrettyCompact;
SELECT 'a\n' AS x, 1 AS y FORMAT PrettyCompact;
SELECT 'a\n\n' AS x, 1 AS y FORMAT PrettyCompact;
SELECT 1 AS a, 2 AS b, 3 AS c, 'a\nb' AS d FORMAT PrettyCompact;
SELECT 1 AS a, 2 AS b, 3 AS c, 4 AS d, 'a\nb' AS e FORMAT PrettyCompact;
SELECT 1 AS a, 2 AS b, 3 AS c, 4 AS d, 'a\nb' AS e FORMAT PrettyCompact SETTINGS output_format_pretty_fallback_to_vertical = 0;
SELECT number AS a, 2 AS b, 3 AS c, 4 AS d, 'a\nb' AS e FROM numbers(11) FORMAT PrettyCompact;
SELECT 1 AS a, 2 AS b, 3 AS c, 4 AS d, (1, 2)::Tuple(x UInt8, y UInt8) AS e FORMAT PrettyCompact;
-- Wide tables.
SELECT 1 AS a, 2 AS b, 3 AS c, 4 AS d, repeat('a', 245) AS x FORMAT PrettyCompact;
SELECT 1 AS a, 2 AS b, 3 AS c, 4 AS d, repeat('a', 246) AS x FORMAT PrettyCompact;
SELECT 5000000 AS a, 'x' AS b, 3 AS c, 4 AS d, 5000000 AS e FORMAT PrettyCompact SETTINGS output_format_pretty_fallback_to_vertical_min_table_width = 1;
-- Large numbers in words.
SELECT 1 AS a, 1100000 AS b FORMAT PrettyCompact;
SELECT 1100000 AS a, 1 AS b FORMAT PrettyCompact;
SELECT number, number * 700000 AS b FROM numbers(3) FORMAT PrettySpace;
SELECT arrayJoin([1e15, 1e16, 1e17, 1e18, 1e20, 1e24, 1e60, 1e63, 1e70]) AS b FORMAT PrettyCompact;
SELECT arrayJoin([100000000000000000, 100000000000000001, 100000000000000010, 18446744073709551615]) AS b FORMAT PrettyCompact;
SELECT 'x' AS a, 18446744073709551615 AS b, 1e300 AS c, -5e6 AS d, toDecimal64(1234567.8, 2) AS g FORMAT Vertical;
SELECT 1 AS a, sum(number) * 1000000 AS s FROM numbers(3) GROUP BY number WITH TOTALS ORDER BY number FORMAT PrettyCompact;
-- Lines under numbers of rows.
SELECT number FROM numbers(10) FORMAT Vertical SETTINGS output_format_pretty_grid_charset = 'ASCII';
SELECT number FROM numbers(10) FORMAT PrettyCompact SETTINGS output_format_pretty_color = 1;
