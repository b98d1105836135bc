-- Merges of wide rows gather columns one after another: the same rows come out.
CREATE TABLE plain (k UInt32, a UInt8, b UInt16, c Int64, d Float64, e String, f LowCardinality(String), g Nullable(Int32), h Array(UInt8), i Tuple(x Int8, y String), j Map(String, UInt8), l Date, m DateTime, n UUID) ENGINE = MergeTree ORDER BY k SETTINGS vertical_merge_algorithm_min_rows_to_activate = 1, vertical_merge_algorithm_min_columns_to_activate = 1, min_bytes_for_wide_part = 0, index_granularity = 64;
INSERT INTO plain SELECT number * 3, number, number, -number, number / 8, toString(number), toString(number % 5), if(number % 7 = 0, NULL, number), range(number % 4), (number % 100, toString(number)), map('x', number % 200), toDate(number), toDateTime(number), toUUID('00000000-0000-0000-0000-000000000001') FROM numbers(1000);
INSERT INTO plain SELECT number * 2, number, number, -number, number / 8, toString(number), toString(number % 5), if(number % 7 = 0, NULL, number), range(number % 4), (number % 100, toString(number)), map('y', number % 200), toDate(number), toDateTime(number), toUUID('00000000-0000-0000-0000-000000000002') FROM numbers(1000);
INSERT INTO plain SELECT number + 10000, number, number, -number, number / 8, toString(number), toString(number % 5), if(number % 7 = 0, NULL, number), range(number % 4), (number % 100, toString(number)), map('z', number % 200), toDate(number), toDateTime(number), toUUID('00000000-0000-0000-0000-000000000003') FROM numbers(1000);
OPTIMIZE TABLE plain FINAL;
SELECT name, rows, level FROM system.parts WHERE table = 'plain' AND active;
SELECT count(), sum(a), sum(b), sum(c), sum(d), sum(length(e)), uniqExact(f), count(g), sum(length(h)), sum(i.x), sum(j['x'] + j['y'] + j['z']), max(l), max(m), uniqExact(n) FROM plain;
SELECT * FROM plain WHERE k BETWEEN 996 AND 1002 OR k IN (0, 10999) ORDER BY k, n;
SELECT countIf(e = toString(-c) AND d = -c / 8 AND i.y = e) FROM plain;

-- The engine's rule chooses rows by some columns; the others follow.
CREATE TABLE versions (k UInt32, v UInt32, a UInt32, b String, c Array(UInt32)) ENGINE = ReplacingMergeTree(v) ORDER BY k SETTINGS vertical_merge_algorithm_min_rows_to_activate = 1, vertical_merge_algorithm_min_columns_to_activate = 1, min_bytes_for_wide_part = 0, index_granularity = 64;
INSERT INTO versions SELECT number, number % 3, number, 'first', [number] FROM numbers(500);
INSERT INTO versions SELECT number * 2, number % 5, number, 'second', [number] FROM numbers(500);
OPTIMIZE TABLE versions FINAL;
SELECT b, count(), sum(v), sum(a), sum(c[1]) FROM versions GROUP BY b ORDER BY b;
CREATE TABLE signs (k UInt32, sign Int8, a UInt32, b String) ENGINE = CollapsingMergeTree(sign) ORDER BY k SETTINGS vertical_merge_algorithm_min_rows_to_activate = 1, vertical_merge_algorithm_min_columns_to_activate = 1, min_bytes_for_wide_part = 0, index_granularity = 64;
INSERT INTO signs SELECT number, 1, number, toString(number) FROM numbers(500);
INSERT INTO signs SELECT number * 2, -1, number * 2, toString(number * 2) FROM numbers(200);
INSERT INTO signs SELECT number * 4, 1, number, 'new' FROM numbers(50);
OPTIMIZE TABLE signs FINAL;
SELECT count(), sum(sign), sum(a), countIf(b = 'new') FROM signs;
SELECT k, sign, a, b FROM signs WHERE k < 12 ORDER BY k;

-- Sums are new rows.
CREATE TABLE sums (k UInt32, a UInt64, b UInt64, c UInt64) ENGINE = SummingMergeTree ORDER BY k SETTINGS vertical_merge_algorithm_min_rows_to_activate = 1, vertical_merge_algorithm_min_columns_to_activate = 1, min_bytes_for_wide_part = 0;
INSERT INTO sums SELECT number % 10, 1, number, number * 2 FROM numbers(100);
INSERT INTO sums SELECT number % 10, 1, number, number * 2 FROM numbers(100);
OPTIMIZE TABLE sums FINAL;
SELECT * FROM sums ORDER BY k LIMIT 3;

-- Nothing is merged now.
SELECT database, table, elapsed, progress, num_parts, source_part_names, result_part_name, is_mutation, total_size_bytes_compressed, rows_read, bytes_read_uncompressed, rows_written, columns_written, memory_usage, merge_type, merge_algorithm FROM system.merges WHERE table = 'plain';
