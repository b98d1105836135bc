-- Each of these reads few granules of eighty.
CREATE TABLE pairs (t Tuple(UInt32, UInt32), v UInt32) ENGINE = MergeTree ORDER BY t
SETTINGS index_granularity = 100, index_granularity_bytes = 0, min_bytes_for_wide_part = 0;
INSERT INTO pairs SELECT (intDiv(number, 100), number % 100), number FROM numbers(8000);
SELECT v FROM pairs WHERE t = (5, 50) SETTINGS max_rows_to_read = 300;
SELECT count(), min(v) FROM pairs WHERE t > (70, 50) SETTINGS max_rows_to_read = 1200;
SELECT count(), max(v) FROM pairs WHERE (3, 20) >= t SETTINGS max_rows_to_read = 600;
SELECT v FROM pairs WHERE t IN ((5, 50), (6, 60)) ORDER BY v SETTINGS max_rows_to_read = 600;
SELECT count() FROM pairs WHERE t = (5, 5000);
SELECT count() FROM pairs WHERE t > (-1, 0);
SELECT count() FROM pairs WHERE NOT (t > (70, 50));

CREATE TABLE times (t DateTime('UTC'), v UInt32) ENGINE = MergeTree ORDER BY t
SETTINGS index_granularity = 100, index_granularity_bytes = 0, min_bytes_for_wide_part = 0;
INSERT INTO times SELECT toDateTime('2024-01-01 00:00:00', 'UTC') + number * 3600, number FROM numbers(8000);
SELECT v FROM times WHERE toString(t) = '2024-05-05 05:00:00' SETTINGS max_rows_to_read = 300;
SELECT count(), min(v) FROM times WHERE toString(t) LIKE '2024-05-05%' SETTINGS max_rows_to_read = 300;
SELECT count() FROM times WHERE (t < '2024-01-05 00:00:00') = 1 SETTINGS max_rows_to_read = 300;
SELECT count() FROM times WHERE (t < '2024-01-05 00:00:00') = 0;
SELECT count() FROM times WHERE (t < '2024-01-05 00:00:00') != 1;

CREATE TABLE numbered (a UInt32, f Float64, s String) ENGINE = MergeTree ORDER BY a
SETTINGS index_granularity = 100, index_granularity_bytes = 0, min_bytes_for_wide_part = 0;
INSERT INTO numbered SELECT intDiv(number, 100), 0, '' FROM numbers(8000);
SELECT count() FROM numbered WHERE a::String = '55' SETTINGS max_rows_to_read = 4000;
SELECT count() FROM numbered WHERE round(a, -1) = 50 SETTINGS max_rows_to_read = 1500;
SELECT count() FROM numbered WHERE round(a, -1) = 0;

CREATE TABLE floats (f Float64, v UInt32) ENGINE = MergeTree ORDER BY f
SETTINGS index_granularity = 100, index_granularity_bytes = 0, min_bytes_for_wide_part = 0;
INSERT INTO floats SELECT number / 10 - 20, number FROM numbers(8000);
SELECT count() FROM floats WHERE toInt32(f) = 50 SETTINGS max_rows_to_read = 600;
SELECT count() FROM floats WHERE toInt32(f) = 0;
SELECT count() FROM floats WHERE toUInt8(f) = 44 AND f > 0;
INSERT INTO floats VALUES (nan, 1), (inf, 2), (-inf, 3), (1e30, 4);
SELECT count() FROM floats WHERE sqrt(f) > 27 AND f < 1000;

CREATE TABLE texts (s String, v UInt32) ENGINE = MergeTree ORDER BY s
SETTINGS index_granularity = 100, index_granularity_bytes = 0, min_bytes_for_wide_part = 0;
INSERT INTO texts SELECT concat('key', leftPad(toString(number), 5, '0')), number FROM numbers(8000);
SELECT count() FROM texts WHERE notEmpty(s) = 0 SETTINGS max_rows_to_read = 300;
SELECT count() FROM texts WHERE empty(s) SETTINGS max_rows_to_read = 300;
SELECT count() FROM texts WHERE notEmpty(s);

CREATE TABLE months (t DateTime('UTC'), u UInt32) ENGINE = MergeTree PARTITION BY toYYYYMM(t) ORDER BY u
SETTINGS index_granularity = 100, index_granularity_bytes = 0, min_bytes_for_wide_part = 0;
INSERT INTO months SELECT toDateTime('2024-01-01 00:00:00', 'UTC') + number * 3600, number % 5000 FROM numbers(8000);
SELECT count() FROM months WHERE _partition_value = tuple(202405) SETTINGS max_rows_to_read = 1000;
SELECT count() FROM months WHERE _partition_value = tuple(205005);

-- Elements of an array that is compared as a whole.
CREATE TABLE arrays (a Array(UInt32), v UInt32, INDEX i a TYPE bloom_filter GRANULARITY 1) ENGINE = MergeTree ORDER BY v
SETTINGS index_granularity = 100;
INSERT INTO arrays SELECT [intDiv(number, 100)], number FROM numbers(8000);
SELECT count() FROM arrays WHERE a = [5];
SELECT count() FROM arrays WHERE a = [5, 6];
SELECT count() FROM arrays WHERE a = [];
SELECT count() FROM arrays WHERE has(a, 999999);
