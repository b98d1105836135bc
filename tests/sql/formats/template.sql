-- Template as it is written. Reading it wants a file in ClickHouse: crates/formats/tests/it/template.rs.
SELECT number AS a, 'x\ty' AS b FROM numbers(3) FORMAT Template SETTINGS format_template_row_format = '${a:CSV}-${b:Escaped}|${0:JSON}';
SELECT number AS a FROM numbers(3) FORMAT Template SETTINGS format_template_row_format = '<$$${a:Quoted}>', format_template_resultset_format = '[${data}] ${rows:CSV}\n', format_template_rows_between_delimiter = ',';
SELECT number AS a FROM numbers(10) LIMIT 3 FORMAT Template SETTINGS format_template_row_format = '${a:CSV}', format_template_resultset_format = '${data} ${rows:CSV} ${rows_before_limit:XML}';
SELECT number % 2 AS a, count() AS c FROM numbers(10) GROUP BY a WITH TOTALS ORDER BY a FORMAT Template SETTINGS extremes = 1, format_template_row_format = '${a:CSV},${c:CSV}', format_template_resultset_format = '${data} T ${totals} ${min} ${max}';
SELECT number AS a FROM numbers(0) FORMAT Template SETTINGS format_template_row_format = '${a:CSV}', format_template_resultset_format = '<${data}>';
SELECT number AS a FROM numbers(2) FORMAT Template SETTINGS format_template_row_format = '${a:CSV}\n', format_template_rows_between_delimiter = '';
SELECT [1, 2] AS a, NULL AS n, 'q"x' AS s FORMAT Template SETTINGS format_template_row_format = '${a:CSV} ${n:CSV} ${s:CSV} ${a:JSON} ${n:JSON} ${s:JSON} ${n:Quoted} ${s:Quoted} ${n:Escaped} ${n:Raw} ${n:XML} ${s:XML}';
SELECT toDateTime('2020-01-01 00:00:00', 'UTC') AS a, true AS b, 1.5::Decimal(9, 3) AS c, toUUID('61f0c404-5cb3-11e7-907b-a6006ad3dba0') AS d, map('a', 1) AS m, (1, 'x') AS t FORMAT Template SETTINGS format_template_row_format = '${a:CSV} ${a:JSON} ${a:Quoted} ${b:CSV} ${b:JSON} ${c:JSON} ${d:JSON} ${d:Quoted} ${m:JSON} ${m:CSV} ${t:JSON} ${t:CSV} ${t:Escaped} ${m:Raw}';
-- error: NOT_FOUND_COLUMN_IN_BLOCK
SELECT number AS a FROM numbers(3) FORMAT Template SETTINGS format_template_row_format = '${c:Raw}';
-- error: BAD_ARGUMENTS
SELECT number AS a FROM numbers(3) FORMAT Template SETTINGS format_template_row_format = '${a:Bogus}';
-- error: INVALID_TEMPLATE_FORMAT
SELECT number AS a FROM numbers(3) FORMAT Template SETTINGS format_template_row_format = '${a:Raw';
-- error: INVALID_TEMPLATE_FORMAT
SELECT number AS a FROM numbers(3) FORMAT Template;
-- error: INVALID_TEMPLATE_FORMAT
SELECT number AS a FROM numbers(3) FORMAT Template SETTINGS format_template_row_format = 'x${a}';
-- error: INVALID_TEMPLATE_FORMAT
SELECT number AS a FROM numbers(3) FORMAT Template SETTINGS format_template_row_format = 'x${:CSV}y';
-- error: INVALID_TEMPLATE_FORMAT
SELECT number AS a FROM numbers(3) FORMAT Template SETTINGS format_template_row_format = '${a:CSV}', format_template_resultset_format = 'no data';
-- error: INVALID_TEMPLATE_FORMAT
SELECT number AS a FROM numbers(3) FORMAT Template SETTINGS format_template_row_format = '${a:CSV}', format_template_resultset_format = '${data} ${rows}';
-- error: SYNTAX_ERROR
SELECT number AS a FROM numbers(3) FORMAT Template SETTINGS format_template_row_format = '${a:CSV}', format_template_resultset_format = '${data} ${bogus:XML}';
-- error: FORMAT_IS_NOT_SUITABLE_FOR_OUTPUT
SELECT 1 AS a FORMAT TemplateIgnoreSpaces SETTINGS format_template_row_format = '${a:CSV}';
