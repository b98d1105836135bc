-- Functions that are in the order of their argument within some stretch of it alone, or on either side of something: EXPLAIN
-- ESTIMATE tells what is left.
CREATE TABLE t (t DateTime('UTC'), v UInt32) ENGINE = MergeTree ORDER BY t SETTINGS index_granularity = 10;
INSERT INTO t SELECT toDateTime('2023-11-20 00:00:00', 'UTC') + number * 21600, number FROM numbers(2000);
EXPLAIN ESTIMATE SELECT * FROM t WHERE toYearWeek(t) = 202403;
SELECT count(), min(t), max(t) FROM t WHERE toYearWeek(t) = 202403;
EXPLAIN ESTIMATE SELECT * FROM t WHERE toYYYYMMDDhhmmss(t) = 20240301060000;
SELECT count(), min(t), max(t) FROM t WHERE toYYYYMMDDhhmmss(t) = 20240301060000;
EXPLAIN ESTIMATE SELECT * FROM t WHERE toQuarter(t) = 2;
SELECT count(), min(t), max(t) FROM t WHERE toQuarter(t) = 2;
EXPLAIN ESTIMATE SELECT * FROM t WHERE toMonth(t) = 2;
SELECT count(), min(t), max(t) FROM t WHERE toMonth(t) = 2;
SELECT count(), min(t), max(t) FROM t WHERE toMonth(t) IN (1, 12);
EXPLAIN ESTIMATE SELECT * FROM t WHERE toDayOfYear(t) = 60;
SELECT count(), min(t), max(t) FROM t WHERE toDayOfYear(t) = 60;
EXPLAIN ESTIMATE SELECT * FROM t WHERE toDayOfMonth(t) = 15;
SELECT count(), min(t), max(t) FROM t WHERE toDayOfMonth(t) = 15;
EXPLAIN ESTIMATE SELECT * FROM t WHERE toDayOfWeek(t) = 7;
SELECT count(), min(t), max(t) FROM t WHERE toDayOfWeek(t) = 7;
SELECT count() FROM t WHERE toWeek(t) = 52;
SELECT count() FROM t WHERE toWeek(t, 3) = 52;
SELECT count() FROM t WHERE toMonth(t, 'Asia/Tokyo') = 3;
SELECT count() FROM t WHERE toHour(t, 'Asia/Tokyo') = 3;
SELECT count() FROM t WHERE toMonth(toTimeZone(t, 'America/New_York')) = 3;
CREATE TABLE f (t DateTime('UTC')) ENGINE = MergeTree ORDER BY t SETTINGS index_granularity = 10;
INSERT INTO f SELECT toDateTime('2024-01-01 00:00:00', 'UTC') + number FROM numbers(20000);
EXPLAIN ESTIMATE SELECT * FROM f WHERE toMinute(t) = 7;
SELECT count() FROM f WHERE toMinute(t) = 7;
EXPLAIN ESTIMATE SELECT * FROM f WHERE toSecond(t) = 7;
SELECT count() FROM f WHERE toSecond(t) = 7;
CREATE TABLE d (d Date) ENGINE = MergeTree ORDER BY d SETTINGS index_granularity = 10;
INSERT INTO d SELECT toDate('2020-01-01') + number FROM numbers(2000);
EXPLAIN ESTIMATE SELECT * FROM d WHERE toMonth(d) = 2;
SELECT count() FROM d WHERE toMonth(d) = 2;
SELECT count() FROM d WHERE toString(d) = '2020-02-03';
-- Texts.
CREATE TABLE s (s String) ENGINE = MergeTree ORDER BY s SETTINGS index_granularity = 10;
INSERT INTO s SELECT leftPad(toString(number), 6, '0') FROM numbers(20000);
EXPLAIN ESTIMATE SELECT * FROM s WHERE match(s, '^01234');
SELECT count() FROM s WHERE match(s, '^01234');
SELECT count() FROM s WHERE NOT match(s, '^01234');
SELECT count() FROM s WHERE match(s, '^(01234|00001)5?');
EXPLAIN ESTIMATE SELECT * FROM s WHERE has(['012345'], s);
SELECT count() FROM s WHERE has(['012345', 'x'], s);
SELECT count() FROM s WHERE NOT has(['012345', 'x'], s);
-- Numbers.
CREATE TABLE n (tenant UInt32, v UInt32) ENGINE = MergeTree ORDER BY tenant SETTINGS index_granularity = 10;
INSERT INTO n SELECT number % 100, number FROM numbers(2000);
-- ClickHouse reads a granule more than there is a row in.
SELECT count() FROM n WHERE toString(tenant) = '33' SETTINGS force_primary_key = 1;
SELECT count() FROM n WHERE toString(tenant) = '3';
SELECT count() FROM n WHERE toString(tenant) > '50';
SELECT count() FROM n WHERE has([3, 300, -3], tenant);
CREATE TABLE u (k Nullable(Int32), v UInt32) ENGINE = MergeTree ORDER BY k SETTINGS index_granularity = 10, allow_nullable_key = 1;
INSERT INTO u SELECT if(number % 10 = 0, NULL, number % 100), number FROM numbers(1000);
-- ClickHouse reads the rows with NULL as well.
SELECT count() FROM u WHERE coalesce(k, 0) = 55 SETTINGS force_primary_key = 1;
SELECT count() FROM u WHERE ifNull(k, 0) = 55;
SELECT count() FROM u WHERE ifNull(k, 55) = 55;
SELECT count() FROM u WHERE ifNull(k, 55) > 54;
SELECT count() FROM u WHERE NOT (ifNull(k, 55) > 54);
SELECT count() FROM u WHERE ifNull(k, -1) < 3;
CREATE TABLE x (k Int128, i Int8) ENGINE = MergeTree ORDER BY k SETTINGS index_granularity = 10;
INSERT INTO x SELECT toInt128(number) - 250, toInt8(number % 256 - 128) FROM numbers(500);
EXPLAIN ESTIMATE SELECT * FROM x WHERE abs(k) = 7;
SELECT count() FROM x WHERE abs(k) = 7;
SELECT count() FROM x WHERE abs(k) < 7;
SELECT count() FROM x WHERE abs(k) >= 248;
SELECT count() FROM x WHERE abs(k) > -1;
SELECT count() FROM x WHERE NOT (abs(k) <= 7);
SELECT count() FROM x WHERE abs(i) = 128;
SELECT count() FROM x WHERE abs(i) < 1000;
SELECT count() FROM x WHERE abs(i) > 126;
-- The values of a partition.
CREATE TABLE p (d Date, k UInt32) ENGINE = MergeTree PARTITION BY (toYYYYMM(d), k % 2) ORDER BY k;
INSERT INTO p SELECT toDate('2024-01-01') + number, number FROM numbers(200);
EXPLAIN ESTIMATE SELECT * FROM p WHERE _partition_value.1 = 202403;
SELECT count() FROM p WHERE _partition_value.1 = 202403;
SELECT count() FROM p WHERE _partition_value.1 > 202403 AND _partition_value.2 = 1;
