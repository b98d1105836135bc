-- settings: output_format_write_statistics=0
SELECT 1 AS a, 'x"y\n/' AS b, NULL AS c, [1, 2] AS d FORMAT JSONEachRow;
SELECT number AS n, toString(number) AS s FROM numbers(2) FORMAT JSON;
SELECT number AS n FROM numbers(2) FORMAT JSONCompact;
SELECT number AS n, 'a' AS s FROM numbers(2) FORMAT JSONCompactEachRow;
SELECT number AS n, 'a' AS s FROM numbers(2) FORMAT JSONCompactEachRowWithNamesAndTypes;
SELECT number AS n, 'a' AS s FROM numbers(2) FORMAT JSONColumns;
SELECT (1, 'a') AS t, map('k', 1) AS m, true AS b, 1.5 AS f, toDate('2024-01-01') AS d, toUInt64(5) AS u, CAST((1, 2) AS Tuple(x Int8, y Int8)) AS n FORMAT JSONEachRow;
SELECT toUInt64(18446744073709551615) AS u, toInt64(-5) AS i FORMAT JSONEachRow SETTINGS output_format_json_quote_64bit_integers = 1;
SELECT inf AS i, nan AS n FORMAT JSONEachRow;
SELECT inf AS i, nan AS n FORMAT JSONEachRow SETTINGS output_format_json_quote_denormals = 1;
SELECT number AS n FROM numbers(2) FORMAT JSONEachRow SETTINGS output_format_json_array_of_rows = 1;
SELECT 1 AS a WHERE 0 FORMAT JSON;
SELECT number % 2 AS k, count() AS c FROM numbers(4) GROUP BY k WITH TOTALS ORDER BY k FORMAT JSONCompact;
SELECT 'ж/\u0001' AS s FORMAT JSONEachRow;
