SELECT formatRow('CSV', 1, 'a', 2.5), toTypeName(formatRow('CSV', 1));
SELECT formatRowNoNewline('CSV', number, 'a') FROM numbers(3);
SELECT formatRow('JSONEachRow', number AS n, 'a') FROM numbers(3);
SELECT formatRow('TSV', number, 'a\tb') FROM numbers(3);
SELECT formatRow('CSVWithNames', number, 'a\tb') FROM numbers(3);
SELECT formatRow('TSVWithNamesAndTypes', number AS n, 'x' AS s) FROM numbers(2);
SELECT formatRow('Vertical', number, 'ab') FROM numbers(3);
SELECT hex(formatRow('RowBinary', number, 'ab')) FROM numbers(3);
SELECT formatRow('Values', number, 'a\tb') FROM numbers(3);
SELECT formatRow('JSONCompactEachRow', number, 'a') FROM numbers(3);
SELECT formatRow('JSONCompactEachRowWithNames', number AS n) FROM numbers(2);
SELECT formatRow('TSKV', number, 'a') FROM numbers(3);
SELECT formatRow('LineAsString', number) FROM numbers(3);
SELECT formatRow('SQLInsert', number) FROM numbers(3);
SELECT formatRow('PrettyJSONEachRow', number AS n) FROM numbers(1);
SELECT formatRow('JSONEachRow', t.number + 1, t.number) FROM numbers(1) AS t;
SELECT formatRow('JSONEachRow', *) FROM (SELECT 1 AS x, 'y' AS y, [1, 2] AS z);
SELECT formatRow('CSV', toDateTime('2024-01-01 00:00:00', 'UTC'), toNullable('x'), toLowCardinality('y'), map('a', 1), (1, 'b'));
SELECT formatRow('CSV', NULL), formatRow('CSV', toNullable(1)), formatRow('CSV', number = 1 ? NULL : number) FROM numbers(2);
SELECT formatRow('CSV', number, number) FROM numbers(3) SETTINGS format_csv_delimiter = ';';
SELECT formatRowNoNewline('JSONEachRow', count() AS c, k) FROM (SELECT number % 2 AS k FROM numbers(5)) GROUP BY k ORDER BY k;
SELECT formatRow('CSV', number) FROM numbers(0);
SELECT arrayMap(x -> formatRowNoNewline('CSV', x, 'a'), [1, 2]);
-- error: UNKNOWN_FORMAT
SELECT formatRow('Nope', number) FROM numbers(3);
-- error: BAD_ARGUMENTS
SELECT formatRow('Pretty', number) FROM numbers(3);
-- error: BAD_ARGUMENTS
SELECT formatRow('Parquet', number) FROM numbers(3);
-- error: BAD_ARGUMENTS
SELECT formatRow('Native', number) FROM numbers(3);
-- error: BAD_ARGUMENTS
SELECT formatRow('Null', number) FROM numbers(3);
-- error: NUMBER_OF_ARGUMENTS_DOESNT_MATCH
SELECT formatRow('CSV');
-- error: NUMBER_OF_ARGUMENTS_DOESNT_MATCH
SELECT formatRow();
-- error: ILLEGAL_TYPE_OF_ARGUMENT
SELECT formatRow(materialize('CSV'), 1);
-- error: ILLEGAL_TYPE_OF_ARGUMENT
SELECT formatRow(1, 1);
