-- Several indexes know the sides of an OR; EXPLAIN ESTIMATE tells what is left.
CREATE TABLE t (k UInt32, a UInt32, b UInt32, s String, INDEX ia a * 3 TYPE minmax, INDEX ib b TYPE bloom_filter(0.00001), INDEX ias a TYPE bloom_filter(0.00001), INDEX iss s TYPE set(0)) ENGINE = MergeTree ORDER BY k SETTINGS index_granularity = 10, min_bytes_for_wide_part = 0;
INSERT INTO t SELECT number, number * 7919 % 1000, number * 4241 % 1000, concat('s', toString(number * 6151 % 1000)) FROM numbers(1000);
EXPLAIN ESTIMATE SELECT * FROM t WHERE a = 5 OR b = 6;
SELECT k, a, b FROM t WHERE a = 5 OR b = 6 ORDER BY k;
SELECT k, a, b, s FROM t WHERE a = 5 OR b = 6 OR s = 's7' ORDER BY k;
SELECT k FROM t WHERE k < 500 AND (a = 5 OR b = 6 OR s = 's7') ORDER BY k;
SELECT k FROM t WHERE (a = 5 AND b > 100) OR (s IN ('s7', 's8') AND k > 10) ORDER BY k;
SELECT k FROM t WHERE a = 5 OR k = 70 ORDER BY k;
SELECT count() FROM t WHERE a = 5 OR b % 2 = 0;
SELECT count() FROM t WHERE a = 5 OR NOT (b = 6);
SELECT count() FROM t WHERE NOT (a = 5 OR b = 6);
SELECT k FROM t WHERE a = 5 OR b = 6 ORDER BY k SETTINGS use_skip_indexes_for_disjunctions = 0;
SELECT k FROM t WHERE a = 5 OR b = 6 ORDER BY k SETTINGS use_skip_indexes = 0;
-- FINAL: rows are looked for by conditions on what is shown.
CREATE TABLE r (k UInt32, v UInt32, x UInt32, INDEX ix x TYPE set(0)) ENGINE = ReplacingMergeTree(v) ORDER BY k SETTINGS index_granularity = 10, min_bytes_for_wide_part = 0;
INSERT INTO r SELECT number, 1, number * 7919 % 1000 FROM numbers(1000);
INSERT INTO r SELECT number * 100, 2, 5000 + number FROM numbers(10);
SELECT * FROM r FINAL WHERE x = 700 * 7919 % 1000;
SELECT * FROM r FINAL WHERE x = 5007;
SELECT * FROM r FINAL WHERE x IN (5007, 701 * 7919 % 1000) OR x = 5 ORDER BY k;
SELECT * FROM r FINAL PREWHERE x = 700 * 7919 % 1000;
SELECT * FROM r FINAL WHERE x = 5007 AND k < 100;
SELECT count() FROM r FINAL WHERE x = 700 * 7919 % 1000 SETTINGS use_skip_indexes_if_final = 0;
SELECT * FROM r FINAL WHERE x = 700 * 7919 % 1000 SETTINGS use_skip_indexes_if_final_exact_mode = 0;
SELECT count(), sum(x) FROM r FINAL WHERE x > 10 SETTINGS force_data_skipping_indices = 'ix';
-- error: INDEX_NOT_USED
SELECT count() FROM r FINAL WHERE v = 1 SETTINGS force_data_skipping_indices = 'ix';
CREATE TABLE sums (k UInt32, x UInt32, INDEX ix x TYPE minmax) ENGINE = SummingMergeTree ORDER BY k SETTINGS index_granularity = 10;
INSERT INTO sums SELECT number, 100 + number FROM numbers(100);
INSERT INTO sums SELECT number, 1000 + number FROM numbers(50);
SELECT count() FROM sums FINAL WHERE x < 200;
