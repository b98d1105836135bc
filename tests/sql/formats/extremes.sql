-- The least and greatest value of each column behind the rows.
CREATE TABLE t (id UInt32, g String, d Date, v Nullable(Float64), tp Tuple(a UInt8, b String)) ENGINE = MergeTree ORDER BY id;
INSERT INTO t SELECT number, ['a','b','c'][number % 3 + 1], toDate('2024-01-01') + number, if(number % 5 = 0, NULL, number / 7), (number, toString(number)) FROM numbers(30);
SELECT id, v, g FROM t WHERE id < 7 ORDER BY id LIMIT 4 SETTINGS extremes = 1, output_format_write_statistics = 0 FORMAT TSV;
SELECT id, v, g FROM t WHERE id < 7 ORDER BY id LIMIT 4 SETTINGS extremes = 1, output_format_write_statistics = 0 FORMAT CSV;
SELECT id, v, g FROM t WHERE id < 7 ORDER BY id LIMIT 4 SETTINGS extremes = 1, output_format_write_statistics = 0 FORMAT TSVWithNames;
SELECT id, v, g FROM t WHERE id < 7 ORDER BY id LIMIT 4 SETTINGS extremes = 1, output_format_write_statistics = 0 FORMAT JSON;
SELECT id, v, g FROM t WHERE id < 7 ORDER BY id LIMIT 4 SETTINGS extremes = 1, output_format_write_statistics = 0 FORMAT JSONCompact;
SELECT id, v, g FROM t WHERE id < 7 ORDER BY id LIMIT 4 SETTINGS extremes = 1, output_format_write_statistics = 0 FORMAT XML;
SELECT id, v, g FROM t WHERE id < 7 ORDER BY id LIMIT 4 SETTINGS extremes = 1, output_format_write_statistics = 0 FORMAT Pretty;
SELECT id, v, g FROM t WHERE id < 7 ORDER BY id LIMIT 4 SETTINGS extremes = 1, output_format_write_statistics = 0 FORMAT PrettyCompact;
SELECT id, v, g FROM t WHERE id < 7 ORDER BY id LIMIT 4 SETTINGS extremes = 1, output_format_write_statistics = 0 FORMAT PrettySpace;
SELECT id, v, g FROM t WHERE id < 7 ORDER BY id LIMIT 4 SETTINGS extremes = 1, output_format_write_statistics = 0 FORMAT Vertical;
SELECT id, v, g FROM t WHERE id < 7 ORDER BY id LIMIT 4 SETTINGS extremes = 1, output_format_write_statistics = 0 FORMAT JSONEachRow;
SELECT id, v, g FROM t WHERE id < 7 ORDER BY id LIMIT 4 SETTINGS extremes = 1, output_format_write_statistics = 0 FORMAT JSONColumnsWithMetadata;
SELECT id, v, g FROM t WHERE id < 7 ORDER BY id LIMIT 4 SETTINGS extremes = 1, output_format_write_statistics = 0 FORMAT Values;
SELECT g, count() AS c FROM t GROUP BY g WITH TOTALS ORDER BY g SETTINGS extremes = 1 FORMAT TSV;
SELECT id FROM t WHERE id > 100 SETTINGS extremes = 1 FORMAT TSV;
