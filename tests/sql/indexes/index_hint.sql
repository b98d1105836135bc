-- indexHint() says which granules are read, and filters no rows of them.
CREATE TABLE k (k UInt32, v UInt32) ENGINE = MergeTree ORDER BY k SETTINGS index_granularity = 8, index_granularity_bytes = 0, min_bytes_for_wide_part = 0;
INSERT INTO k SELECT number, number FROM numbers(100);
SELECT count(), max(v) FROM k WHERE indexHint(k < 32);
SELECT count(), max(v) FROM k WHERE indexHint(k < 30);
SELECT count(), max(v) FROM k WHERE indexHint(k < 32) AND v > 1;
SELECT count(), max(v) FROM k WHERE indexHint(k > 97);
SELECT count(), max(v) FROM k WHERE indexHint(k < 8 OR k > 95);
SELECT count(), max(v) FROM k WHERE indexHint(k IN (5, 50));
SELECT count(), max(v) FROM k WHERE indexHint(k < 32, k > 15);
SELECT sum(v) FROM k WHERE indexHint(k = 3) AND k < 4;
SELECT indexHint(k) FROM k ORDER BY k LIMIT 1;
