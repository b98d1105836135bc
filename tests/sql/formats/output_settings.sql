SELECT 'a\tb\'c\\d\n"', ['x\'y'], ('p\'q', 1), map('k\'', 'v\''), toDate('2024-01-02'), 'e\'f'::Nullable(String), CAST('a\'b' AS Enum8('a\'b' = 1)) FORMAT Values SETTINGS output_format_values_escape_quote_with_quote = 1;
SELECT 'a\'c', ['x\'y'] FORMAT TSV SETTINGS output_format_values_escape_quote_with_quote = 1;
SELECT 'a\'c', ['x\'y'] FORMAT CSV SETTINGS output_format_values_escape_quote_with_quote = 1;
-- All digits of a decimal's scale.
SELECT 1.5::Decimal(9,3), [1.5::Decimal(40,3)], -0.1::Decimal(9,2), 0::Decimal(9,2), 5::Decimal(9,0) FORMAT TSV SETTINGS output_format_decimal_trailing_zeros = 1;
SELECT 1.5::Decimal(9,3) AS d FORMAT JSONEachRow SETTINGS output_format_decimal_trailing_zeros = 1, output_format_json_quote_decimals = 1;
SELECT 1.5::Decimal(9,3) AS d FORMAT PrettyCompact SETTINGS output_format_decimal_trailing_zeros = 1;
SELECT toString(1.5::Decimal(9,3)) SETTINGS output_format_decimal_trailing_zeros = 1;
-- Fractions of a second in groups of three digits.
SELECT toDateTime64('2024-01-02 03:04:05.120000', 6, 'UTC'), toDateTime64('2024-01-02 03:04:05', 3, 'UTC'), toDateTime64('2024-01-02 03:04:05.1234', 4, 'UTC'), toDateTime64('2024-01-02 03:04:05.1', 1, 'UTC'), toDateTime64('2024-01-02 03:04:05.12', 9, 'UTC'), [toDateTime64('2024-01-02 03:04:05.12345', 5, 'UTC')] SETTINGS date_time_64_output_format_cut_trailing_zeros_align_to_groups_of_thousands = 1;
SELECT toDateTime64('2024-01-02 03:04:05.120000', 6, 'UTC') SETTINGS date_time_64_output_format_cut_trailing_zeros_align_to_groups_of_thousands = 1, date_time_output_format = 'iso';
-- A tuple as one field.
SELECT (1, 'a'), [(1, 'b')] FORMAT CSV SETTINGS output_format_csv_serialize_tuple_into_separate_columns = 0;
SELECT (1, (2, 'a')) AS t FORMAT CSVWithNames SETTINGS output_format_csv_serialize_tuple_into_separate_columns = 0;
SELECT (1, (2, 'a')) AS t FORMAT CSVWithNames;
-- Bytes that are no UTF-8.
SELECT '\xff\xfe\xfda\xe2\x82' AS a, '\xe2\x82b' AS b, ['\xc3(', '\xf0\x9f'] AS c, '\xed\xa0\x80' AS d FORMAT JSON SETTINGS output_format_write_statistics = 0;
SELECT '\xff\xfe\xfda\xe2\x82' AS a, '\xe2\x82b' AS b FORMAT XML SETTINGS output_format_write_statistics = 0;
SELECT '\xff\xfea' AS a FORMAT JSONEachRow SETTINGS output_format_json_validate_utf8 = 1;
SELECT '\xff\xfea' AS a FORMAT JSONStringsEachRow SETTINGS output_format_json_validate_utf8 = 1;
SELECT '\xff\xfea' AS a FORMAT JSONCompactEachRow SETTINGS output_format_json_validate_utf8 = 1;
-- Words of text formats are none of XML.
SELECT true AS a, NULL AS b, [true, false] AS c FORMAT XML SETTINGS output_format_write_statistics = 0, bool_true_representation = 'yes', format_tsv_null_representation = 'nil';
-- JSON in one line a value, and without what is NULL.
SELECT [[1, NULL], []] AS aa, (1, 'x') AS t, map('a', [1]) AS m, (1, 2)::Tuple(a UInt8, b UInt8) AS n FORMAT JSON SETTINGS output_format_json_pretty_print = 0, output_format_write_statistics = 0;
SELECT (1, NULL)::Tuple(a UInt8, b Nullable(UInt8)) AS t FORMAT JSONEachRow SETTINGS output_format_json_skip_null_value_in_named_tuples = 1;
SELECT (1, NULL)::Tuple(a UInt8, b Nullable(UInt8)) AS t FORMAT JSON SETTINGS output_format_json_skip_null_value_in_named_tuples = 1, output_format_write_statistics = 0;
SELECT formatReadableQuantity(1e30), formatReadableQuantity(1e63), formatReadableQuantity(1e300);
-- Statements as others want them.
SELECT 1 AS a, 'x' AS b FROM numbers(3) FORMAT SQLInsert SETTINGS output_format_sql_insert_use_replace = 1, output_format_sql_insert_max_batch_size = 2;
SELECT 1 AS a, 'x' AS b FORMAT SQLInsert SETTINGS output_format_sql_insert_include_column_names = 0;
SELECT 1 AS a, 'x' AS `b c` FORMAT SQLInsert SETTINGS output_format_sql_insert_quote_names = 0;
SELECT 'a-b_*c|d' AS a, ['a-b'] AS b, -5 AS c, toDate('2024-01-02') AS d, ('a-b', 1) AS e FORMAT Markdown SETTINGS output_format_markdown_escape_special_characters = 1;
