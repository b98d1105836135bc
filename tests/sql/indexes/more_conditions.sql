CREATE TABLE fs (fs FixedString(6), v UInt32) ENGINE = MergeTree ORDER BY fs SETTINGS index_granularity = 10;
INSERT INTO fs SELECT leftPad(toString(number), 6, '0'), number FROM numbers(1000);
SELECT count(), min(v), max(v) FROM fs WHERE fs LIKE '000%' SETTINGS max_rows_to_read = 1000;
SELECT count(), min(v), max(v) FROM fs WHERE startsWith(fs, '00001') SETTINGS max_rows_to_read = 1000;
SELECT count(), min(v), max(v) FROM fs WHERE fs LIKE '00001%' SETTINGS max_rows_to_read = 30;
SELECT count(), min(v), max(v) FROM fs WHERE startsWith(fs, '00001') SETTINGS max_rows_to_read = 30;
SELECT count() FROM fs WHERE NOT (fs LIKE '00001%');
SELECT count() FROM fs WHERE fs LIKE '0000100000%';

CREATE TABLE wk (t DateTime('UTC'), v UInt32) ENGINE = MergeTree ORDER BY t SETTINGS index_granularity = 24;
INSERT INTO wk SELECT toDateTime('2023-12-25 00:00:00', 'UTC') + number * 3600, number FROM numbers(24 * 400);
SELECT count(), min(t), max(t) FROM wk WHERE toISOWeek(t) = 2;
SELECT count(), min(t), max(t) FROM wk WHERE toISOWeek(t) = 52;
SELECT count(), min(t), max(t) FROM wk WHERE toISOWeek(t) = 1;
SELECT count() FROM wk WHERE toISOWeek(t) = 2 SETTINGS max_rows_to_read = 1000;

CREATE TABLE st (s String, v UInt32) ENGINE = MergeTree ORDER BY s SETTINGS index_granularity = 10;
INSERT INTO st SELECT concat(toString(number % 100), 'ä', toString(number)), number FROM numbers(1000);
SELECT count() FROM st WHERE startsWithUTF8(s, '42ä');

CREATE TABLE tk (k UInt32, s String, nv Nullable(UInt32), ns Nullable(String), INDEX a s TYPE tokenbf_v1(1024, 3, 0) GRANULARITY 1, INDEX b lower(s) TYPE ngrambf_v1(3, 1024, 3, 0) GRANULARITY 1, INDEX c lower(s) TYPE tokenbf_v1(1024, 3, 0) GRANULARITY 1, INDEX d nv TYPE bloom_filter GRANULARITY 1, INDEX e ns TYPE bloom_filter GRANULARITY 1) ENGINE = MergeTree ORDER BY k SETTINGS index_granularity = 10;
INSERT INTO tk SELECT number, concat('Word', toString(number), ' of'), if(number % 3 = 0, NULL, number), if(number % 3 = 0, NULL, toString(number)) FROM numbers(1000);
SELECT count() FROM tk WHERE hasTokenOrNull(s, 'Word333') SETTINGS max_rows_to_read = 100;
SELECT count() FROM tk WHERE hasTokenCaseInsensitive(s, 'wORD333') SETTINGS max_rows_to_read = 100;
SELECT count() FROM tk WHERE hasTokenCaseInsensitive(s, 'word');
SELECT count() FROM tk WHERE coalesce(nv, 0) = 4 SETTINGS max_rows_to_read = 100;
SELECT count() FROM tk WHERE ifNull(nv, 0) = 4 SETTINGS max_rows_to_read = 100;
SELECT count() FROM tk WHERE ifNull(nv, 0) = 0;
SELECT count() FROM tk WHERE ifNull(ns, 'x') = '4' SETTINGS max_rows_to_read = 100;
SELECT count() FROM tk WHERE ifNull(ns, '4') = '4';
SELECT count() FROM tk WHERE ifNull(nv, 0) IN (4, 7);
SELECT count() FROM tk WHERE ifNull(nv, 4) IN (4, 7);

CREATE TABLE ar (k UInt32, a Array(UInt32), s Array(String), INDEX i a TYPE bloom_filter GRANULARITY 1, INDEX j s TYPE bloom_filter GRANULARITY 1) ENGINE = MergeTree ORDER BY k SETTINGS index_granularity = 10;
INSERT INTO ar SELECT number, [number, number + 7], [toString(number)] FROM numbers(1000);
SELECT count() FROM ar WHERE arrayExists(x -> x = 300, a);
SELECT count() FROM ar WHERE arrayExists(x -> '300' = x, s);
SELECT count() FROM ar WHERE has(a, 300) SETTINGS max_rows_to_read = 100;
SELECT arrayExists(x -> x = 3, [1, NULL, 3]), arrayExists(x -> x = 300, [44]::Array(UInt8)), arrayExists(x -> x = -1, [255]::Array(UInt8)), arrayExists(x -> x = 'a', [toFixedString('a', 3)]);
