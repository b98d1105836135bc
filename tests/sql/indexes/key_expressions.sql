-- What a condition computes as a key does is looked for in the key: EXPLAIN ESTIMATE tells what is left.
CREATE TABLE m (k UInt32) ENGINE = MergeTree PARTITION BY k % 10 ORDER BY k SETTINGS index_granularity = 10;
INSERT INTO m SELECT number FROM numbers(1000);
EXPLAIN ESTIMATE SELECT * FROM m WHERE k % 10 = 3;
SELECT count(), sum(k) FROM m WHERE k % 10 = 3;
SELECT count(), sum(k) FROM m WHERE k % 10 IN (3, 4) AND k < 100;
CREATE TABLE d (k UInt32, v UInt8) ENGINE = MergeTree ORDER BY intDiv(k, 16) SETTINGS index_granularity = 16;
INSERT INTO d SELECT number, number % 7 FROM numbers(1600);
EXPLAIN ESTIMATE SELECT * FROM d WHERE intDiv(k, 16) = 0;
SELECT count(), min(k), max(k) FROM d WHERE intDiv(k, 16) = 5;
SELECT count(), min(k), max(k) FROM d WHERE intDiv(k, 16) > 98 AND v = 3;
CREATE TABLE b (k UInt32) ENGINE = MergeTree ORDER BY bitAnd(k, 7) SETTINGS index_granularity = 100;
INSERT INTO b SELECT number FROM numbers(800);
EXPLAIN ESTIMATE SELECT * FROM b WHERE bitAnd(k, 7) = 0;
SELECT count(), sum(k) FROM b WHERE bitAnd(k, 7) = 3;
CREATE TABLE h (k UInt32) ENGINE = MergeTree ORDER BY bitShiftRight(k, 4) SETTINGS index_granularity = 16;
INSERT INTO h SELECT number FROM numbers(1600);
EXPLAIN ESTIMATE SELECT * FROM h WHERE bitShiftRight(k, 4) = 0;
SELECT count(), sum(k) FROM h WHERE bitShiftRight(k, 4) = 7;
CREATE TABLE s (t String) ENGINE = MergeTree ORDER BY substring(t, 1, 2) SETTINGS index_granularity = 10;
INSERT INTO s SELECT concat(toString(number % 90 + 10), 'x', toString(number)) FROM numbers(900);
EXPLAIN ESTIMATE SELECT * FROM s WHERE substring(t, 1, 2) = '10';
SELECT count(), min(t), max(t) FROM s WHERE substring(t, 1, 2) = '42';
CREATE TABLE g (k Int32, c UInt32) ENGINE = MergeTree ORDER BY (intDiv(k, 100), c) SETTINGS index_granularity = 10;
INSERT INTO g SELECT number, number % 100 FROM numbers(1000);
EXPLAIN ESTIMATE SELECT * FROM g WHERE intDiv(k, 100) = 0 AND c < 10;
SELECT count(), sum(k) FROM g WHERE intDiv(k, 100) = 4 AND c < 5;
CREATE TABLE i (k UInt32, a UInt32, INDEX ia (a > 50) TYPE set(2) GRANULARITY 1, INDEX ib if(a > 90, 'high', 'low') TYPE set(2) GRANULARITY 1, INDEX ig greatest(k, a) TYPE minmax GRANULARITY 1) ENGINE = MergeTree ORDER BY k SETTINGS index_granularity = 10;
INSERT INTO i SELECT number, intDiv(number, 10) FROM numbers(1000);
EXPLAIN ESTIMATE SELECT * FROM i WHERE a > 50;
SELECT count() FROM i WHERE a > 50;
SELECT count() FROM i WHERE NOT (a > 50);
EXPLAIN ESTIMATE SELECT * FROM i WHERE if(a > 90, 'high', 'low') = 'high';
SELECT count() FROM i WHERE if(a > 90, 'high', 'low') = 'high';
EXPLAIN ESTIMATE SELECT * FROM i WHERE greatest(k, a) < 15;
SELECT count() FROM i WHERE greatest(k, a) < 15;
-- Keys that could not be kept.
-- error: BAD_ARGUMENTS
CREATE TABLE e (k Int32) ENGINE = MergeTree ORDER BY rand();
-- error: BAD_ARGUMENTS
CREATE TABLE e (k Int32) ENGINE = MergeTree ORDER BY (k, now());
-- error: BAD_ARGUMENTS
CREATE TABLE e (k Int32) ENGINE = MergeTree ORDER BY (k, hostName());
-- error: BAD_ARGUMENTS
CREATE TABLE e (k Int32) ENGINE = MergeTree PARTITION BY toYear(now()) ORDER BY k;
-- error: BAD_ARGUMENTS
CREATE TABLE e (k Int32) ENGINE = MergeTree ORDER BY (k, k);
-- error: BAD_ARGUMENTS
CREATE TABLE e (k Int32) ENGINE = MergeTree ORDER BY (SELECT 1);
-- error: ILLEGAL_COLUMN
CREATE TABLE e (k Int32) ENGINE = MergeTree ORDER BY (k, 1 + 1);
CREATE TABLE e (k Int32) ENGINE = MergeTree ORDER BY (k, k) SETTINGS allow_suspicious_indices = 1;
INSERT INTO e SELECT 5 - number FROM numbers(3);
SELECT * FROM e;
-- A query that has to use a key, and does not.
-- error: INDEX_NOT_USED
SELECT count() FROM d WHERE v = 1 SETTINGS force_primary_key = 1;
SELECT count() FROM d WHERE intDiv(k, 16) = 1 SETTINGS force_primary_key = 1;
-- error: INDEX_NOT_USED
SELECT * FROM m WHERE cityHash64(k) = 7 SETTINGS force_index_by_date = 1;
SELECT * FROM m WHERE k % 10 = 1 AND k < 40 ORDER BY k SETTINGS force_index_by_date = 1;
-- Delays may begin above what is refused: then nothing is delayed.
CREATE TABLE few (k Int32) ENGINE = MergeTree ORDER BY k SETTINGS parts_to_throw_insert = 10, parts_to_delay_insert = 20;
INSERT INTO few VALUES (1);
