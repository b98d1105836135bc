-- Keys of arrays, maps, tuples and wide integers leave granules out, and never rows.

CREATE TABLE t0 (k Array(UInt32), n UInt32) ENGINE = MergeTree ORDER BY k SETTINGS index_granularity = 10, allow_nullable_key = 1;

INSERT INTO t0 SELECT [toUInt32(intDiv(number, 10)), toUInt32(number % 10)], number FROM numbers(1000);

SELECT sumIf(n, k = [toUInt32(50), 3]), sumIf(n, k < [toUInt32(50), 3]), sumIf(n, k > [toUInt32(50), 3]) FROM t0;

SELECT count(), sum(n) FROM t0 WHERE k = [toUInt32(50), 3];

SELECT count(), sum(n) FROM t0 WHERE k < [toUInt32(50), 3];

SELECT count(), sum(n) FROM t0 WHERE k <= [toUInt32(50), 3];

SELECT count(), sum(n) FROM t0 WHERE k > [toUInt32(50), 3];

SELECT count(), sum(n) FROM t0 WHERE k >= [toUInt32(50), 3];

SELECT count(), sum(n) FROM t0 WHERE k != [toUInt32(50), 3];

SELECT count(), sum(n) FROM t0 WHERE k IN ([toUInt32(50), 3], [toUInt32(50), 3]) OR NOT (k != [toUInt32(50), 3]);

SELECT marks < 60 FROM (EXPLAIN ESTIMATE SELECT n FROM t0 WHERE k = [toUInt32(50), 3]);

SELECT marks <= 51 FROM (EXPLAIN ESTIMATE SELECT n FROM t0 WHERE k >= [toUInt32(50), 3]);

SELECT sumIf(n, k = [50]), sumIf(n, k < [50]), sumIf(n, k > [50]) FROM t0;

SELECT count(), sum(n) FROM t0 WHERE k = [50];

SELECT count(), sum(n) FROM t0 WHERE k < [50];

SELECT count(), sum(n) FROM t0 WHERE k <= [50];

SELECT count(), sum(n) FROM t0 WHERE k > [50];

SELECT count(), sum(n) FROM t0 WHERE k >= [50];

SELECT count(), sum(n) FROM t0 WHERE k != [50];

SELECT count(), sum(n) FROM t0 WHERE k IN ([50], [50]) OR NOT (k != [50]);

SELECT marks < 60 FROM (EXPLAIN ESTIMATE SELECT n FROM t0 WHERE k = [50]);

SELECT marks <= 51 FROM (EXPLAIN ESTIMATE SELECT n FROM t0 WHERE k >= [50]);

CREATE TABLE t1 (k Array(Nullable(UInt32)), n UInt32) ENGINE = MergeTree ORDER BY k SETTINGS index_granularity = 10, allow_nullable_key = 1;

INSERT INTO t1 SELECT [toNullable(toUInt32(number)), number], number FROM numbers(1000);

SELECT sumIf(n, k = [500, 500]), sumIf(n, k < [500, 500]), sumIf(n, k > [500, 500]) FROM t1;

SELECT count(), sum(n) FROM t1 WHERE k = [500, 500];

SELECT count(), sum(n) FROM t1 WHERE k < [500, 500];

SELECT count(), sum(n) FROM t1 WHERE k <= [500, 500];

SELECT count(), sum(n) FROM t1 WHERE k > [500, 500];

SELECT count(), sum(n) FROM t1 WHERE k >= [500, 500];

SELECT count(), sum(n) FROM t1 WHERE k != [500, 500];

SELECT count(), sum(n) FROM t1 WHERE k IN ([500, 500], [500, 500]) OR NOT (k != [500, 500]);

SELECT marks < 60 FROM (EXPLAIN ESTIMATE SELECT n FROM t1 WHERE k = [500, 500]);

SELECT marks <= 51 FROM (EXPLAIN ESTIMATE SELECT n FROM t1 WHERE k >= [500, 500]);

CREATE TABLE t2 (k Array(LowCardinality(String)), n UInt32) ENGINE = MergeTree ORDER BY k SETTINGS index_granularity = 10, allow_nullable_key = 1;

INSERT INTO t2 SELECT [toString(1000 + number)], number FROM numbers(1000);

SELECT sumIf(n, k = ['1500']), sumIf(n, k < ['1500']), sumIf(n, k > ['1500']) FROM t2;

SELECT count(), sum(n) FROM t2 WHERE k = ['1500'];

SELECT count(), sum(n) FROM t2 WHERE k < ['1500'];

SELECT count(), sum(n) FROM t2 WHERE k <= ['1500'];

SELECT count(), sum(n) FROM t2 WHERE k > ['1500'];

SELECT count(), sum(n) FROM t2 WHERE k >= ['1500'];

SELECT count(), sum(n) FROM t2 WHERE k != ['1500'];

SELECT count(), sum(n) FROM t2 WHERE k IN (['1500'], ['1500']) OR NOT (k != ['1500']);

SELECT marks < 60 FROM (EXPLAIN ESTIMATE SELECT n FROM t2 WHERE k = ['1500']);

SELECT marks <= 51 FROM (EXPLAIN ESTIMATE SELECT n FROM t2 WHERE k >= ['1500']);

SELECT sumIf(n, k = ['1500', 'a']), sumIf(n, k < ['1500', 'a']), sumIf(n, k > ['1500', 'a']) FROM t2;

SELECT count(), sum(n) FROM t2 WHERE k = ['1500', 'a'];

SELECT count(), sum(n) FROM t2 WHERE k < ['1500', 'a'];

SELECT count(), sum(n) FROM t2 WHERE k <= ['1500', 'a'];

SELECT count(), sum(n) FROM t2 WHERE k > ['1500', 'a'];

SELECT count(), sum(n) FROM t2 WHERE k >= ['1500', 'a'];

SELECT count(), sum(n) FROM t2 WHERE k != ['1500', 'a'];

SELECT count(), sum(n) FROM t2 WHERE k IN (['1500', 'a'], ['1500', 'a']) OR NOT (k != ['1500', 'a']);

SELECT marks < 60 FROM (EXPLAIN ESTIMATE SELECT n FROM t2 WHERE k = ['1500', 'a']);

SELECT marks <= 51 FROM (EXPLAIN ESTIMATE SELECT n FROM t2 WHERE k >= ['1500', 'a']);

CREATE TABLE t3 (k Array(Tuple(UInt32, String)), n UInt32) ENGINE = MergeTree ORDER BY k SETTINGS index_granularity = 10, allow_nullable_key = 1;

INSERT INTO t3 SELECT [(toUInt32(number), 'a')], number FROM numbers(1000);

SELECT sumIf(n, k = [(500, 'a')]), sumIf(n, k < [(500, 'a')]), sumIf(n, k > [(500, 'a')]) FROM t3;

SELECT count(), sum(n) FROM t3 WHERE k = [(500, 'a')];

SELECT count(), sum(n) FROM t3 WHERE k < [(500, 'a')];

SELECT count(), sum(n) FROM t3 WHERE k <= [(500, 'a')];

SELECT count(), sum(n) FROM t3 WHERE k > [(500, 'a')];

SELECT count(), sum(n) FROM t3 WHERE k >= [(500, 'a')];

SELECT count(), sum(n) FROM t3 WHERE k != [(500, 'a')];

SELECT count(), sum(n) FROM t3 WHERE k IN ([(500, 'a')], [(500, 'a')]) OR NOT (k != [(500, 'a')]);

SELECT marks < 60 FROM (EXPLAIN ESTIMATE SELECT n FROM t3 WHERE k = [(500, 'a')]);

SELECT marks <= 51 FROM (EXPLAIN ESTIMATE SELECT n FROM t3 WHERE k >= [(500, 'a')]);

CREATE TABLE t4 (k Map(String, UInt32), n UInt32) ENGINE = MergeTree ORDER BY k SETTINGS index_granularity = 10, allow_nullable_key = 1;

INSERT INTO t4 SELECT map('a', toUInt32(number)), number FROM numbers(1000);

SELECT sumIf(n, k = map('a', 500)), sumIf(n, k < map('a', 500)), sumIf(n, k > map('a', 500)) FROM t4;

SELECT count(), sum(n) FROM t4 WHERE k = map('a', 500);

SELECT count(), sum(n) FROM t4 WHERE k < map('a', 500);

SELECT count(), sum(n) FROM t4 WHERE k <= map('a', 500);

SELECT count(), sum(n) FROM t4 WHERE k > map('a', 500);

SELECT count(), sum(n) FROM t4 WHERE k >= map('a', 500);

SELECT count(), sum(n) FROM t4 WHERE k != map('a', 500);

SELECT count(), sum(n) FROM t4 WHERE k IN (map('a', 500), map('a', 500)) OR NOT (k != map('a', 500));

SELECT marks < 60 FROM (EXPLAIN ESTIMATE SELECT n FROM t4 WHERE k = map('a', 500));

SELECT marks <= 51 FROM (EXPLAIN ESTIMATE SELECT n FROM t4 WHERE k >= map('a', 500));

CREATE TABLE t5 (k Tuple(UInt32, String), n UInt32) ENGINE = MergeTree ORDER BY k SETTINGS index_granularity = 10, allow_nullable_key = 1;

INSERT INTO t5 SELECT (toUInt32(number), toString(number)), number FROM numbers(1000);

SELECT sumIf(n, k = (500, '500')), sumIf(n, k < (500, '500')), sumIf(n, k > (500, '500')) FROM t5;

SELECT count(), sum(n) FROM t5 WHERE k = (500, '500');

SELECT count(), sum(n) FROM t5 WHERE k < (500, '500');

SELECT count(), sum(n) FROM t5 WHERE k <= (500, '500');

SELECT count(), sum(n) FROM t5 WHERE k > (500, '500');

SELECT count(), sum(n) FROM t5 WHERE k >= (500, '500');

SELECT count(), sum(n) FROM t5 WHERE k != (500, '500');

SELECT count(), sum(n) FROM t5 WHERE k IN ((500, '500'), (500, '500')) OR NOT (k != (500, '500'));

SELECT marks < 60 FROM (EXPLAIN ESTIMATE SELECT n FROM t5 WHERE k = (500, '500'));

SELECT marks <= 51 FROM (EXPLAIN ESTIMATE SELECT n FROM t5 WHERE k >= (500, '500'));

CREATE TABLE t6 (k UInt256, n UInt32) ENGINE = MergeTree ORDER BY k SETTINGS index_granularity = 10, allow_nullable_key = 1;

INSERT INTO t6 SELECT if(number < 500, toUInt256(number), toUInt256(number) + bitShiftLeft(toUInt256(1), 255)), number FROM numbers(1000);

SELECT sumIf(n, k = 10), sumIf(n, k < 10), sumIf(n, k > 10) FROM t6;

SELECT count(), sum(n) FROM t6 WHERE k = 10;

SELECT count(), sum(n) FROM t6 WHERE k < 10;

SELECT count(), sum(n) FROM t6 WHERE k <= 10;

SELECT count(), sum(n) FROM t6 WHERE k > 10;

SELECT count(), sum(n) FROM t6 WHERE k >= 10;

SELECT count(), sum(n) FROM t6 WHERE k != 10;

SELECT count(), sum(n) FROM t6 WHERE k IN (10, 10) OR NOT (k != 10);

SELECT marks < 60 FROM (EXPLAIN ESTIMATE SELECT n FROM t6 WHERE k = 10);

SELECT marks <= 51 FROM (EXPLAIN ESTIMATE SELECT n FROM t6 WHERE k < 10);

SELECT sumIf(n, k = -1), sumIf(n, k < -1), sumIf(n, k > -1) FROM t6;

SELECT count(), sum(n) FROM t6 WHERE k = -1;

SELECT count(), sum(n) FROM t6 WHERE k < -1;

SELECT count(), sum(n) FROM t6 WHERE k <= -1;

SELECT count(), sum(n) FROM t6 WHERE k > -1;

SELECT count(), sum(n) FROM t6 WHERE k >= -1;

SELECT count(), sum(n) FROM t6 WHERE k != -1;

SELECT count(), sum(n) FROM t6 WHERE k IN (-1, -1) OR NOT (k != -1);

SELECT sumIf(n, k = bitShiftLeft(toUInt256(1), 255) + 700), sumIf(n, k < bitShiftLeft(toUInt256(1), 255) + 700), sumIf(n, k > bitShiftLeft(toUInt256(1), 255) + 700) FROM t6;

SELECT count(), sum(n) FROM t6 WHERE k = bitShiftLeft(toUInt256(1), 255) + 700;

SELECT count(), sum(n) FROM t6 WHERE k < bitShiftLeft(toUInt256(1), 255) + 700;

SELECT count(), sum(n) FROM t6 WHERE k <= bitShiftLeft(toUInt256(1), 255) + 700;

SELECT count(), sum(n) FROM t6 WHERE k > bitShiftLeft(toUInt256(1), 255) + 700;

SELECT count(), sum(n) FROM t6 WHERE k >= bitShiftLeft(toUInt256(1), 255) + 700;

SELECT count(), sum(n) FROM t6 WHERE k != bitShiftLeft(toUInt256(1), 255) + 700;

SELECT count(), sum(n) FROM t6 WHERE k IN (bitShiftLeft(toUInt256(1), 255) + 700, bitShiftLeft(toUInt256(1), 255) + 700) OR NOT (k != bitShiftLeft(toUInt256(1), 255) + 700);

SELECT marks < 60 FROM (EXPLAIN ESTIMATE SELECT n FROM t6 WHERE k = bitShiftLeft(toUInt256(1), 255) + 700);

SELECT marks <= 51 FROM (EXPLAIN ESTIMATE SELECT n FROM t6 WHERE k < bitShiftLeft(toUInt256(1), 255) + 700);

CREATE TABLE t7 (k Int256, n UInt32) ENGINE = MergeTree ORDER BY k SETTINGS index_granularity = 10, allow_nullable_key = 1;

INSERT INTO t7 SELECT toInt256(number) - 500, number FROM numbers(1000);

SELECT sumIf(n, k = -3), sumIf(n, k < -3), sumIf(n, k > -3) FROM t7;

SELECT count(), sum(n) FROM t7 WHERE k = -3;

SELECT count(), sum(n) FROM t7 WHERE k < -3;

SELECT count(), sum(n) FROM t7 WHERE k <= -3;

SELECT count(), sum(n) FROM t7 WHERE k > -3;

SELECT count(), sum(n) FROM t7 WHERE k >= -3;

SELECT count(), sum(n) FROM t7 WHERE k != -3;

SELECT count(), sum(n) FROM t7 WHERE k IN (-3, -3) OR NOT (k != -3);

SELECT marks < 60 FROM (EXPLAIN ESTIMATE SELECT n FROM t7 WHERE k = -3);

SELECT marks <= 51 FROM (EXPLAIN ESTIMATE SELECT n FROM t7 WHERE k < -3);

SELECT sumIf(n, k = toInt256(5)), sumIf(n, k < toInt256(5)), sumIf(n, k > toInt256(5)) FROM t7;

SELECT count(), sum(n) FROM t7 WHERE k = toInt256(5);

SELECT count(), sum(n) FROM t7 WHERE k < toInt256(5);

SELECT count(), sum(n) FROM t7 WHERE k <= toInt256(5);

SELECT count(), sum(n) FROM t7 WHERE k > toInt256(5);

SELECT count(), sum(n) FROM t7 WHERE k >= toInt256(5);

SELECT count(), sum(n) FROM t7 WHERE k != toInt256(5);

SELECT count(), sum(n) FROM t7 WHERE k IN (toInt256(5), toInt256(5)) OR NOT (k != toInt256(5));

SELECT marks < 60 FROM (EXPLAIN ESTIMATE SELECT n FROM t7 WHERE k = toInt256(5));

SELECT marks <= 51 FROM (EXPLAIN ESTIMATE SELECT n FROM t7 WHERE k < toInt256(5));
