-- ORDER BY a prefix of the sorting key, in parts that meet and in parts that do not.
CREATE TABLE t (g UInt16, at DateTime('UTC'), k UInt32, s String, n Nullable(Int32)) ENGINE = MergeTree ORDER BY (g, at, k) SETTINGS index_granularity = 100;
INSERT INTO t SELECT number % 7, toDateTime('2024-01-01 00:00:00', 'UTC') + number * 31, number, concat('s', toString(number * 7919 % 1000)), if(number % 5 = 0, NULL, number % 100) FROM numbers(10000);
INSERT INTO t SELECT number % 5, toDateTime('2024-01-02 00:00:00', 'UTC') + number * 37, number + 10000, concat('t', toString(number * 7919 % 1000)), number % 50 FROM numbers(8000);
INSERT INTO t SELECT number % 3 + 20, toDateTime('2024-02-01 00:00:00', 'UTC') + number, number + 20000, 'late', NULL FROM numbers(3000);
SELECT count(), cityHash64(groupArray(k)) FROM (SELECT k FROM t ORDER BY g, at, k);
SELECT count(), cityHash64(groupArray(k)) FROM (SELECT k FROM t ORDER BY g DESC, at DESC, k DESC);
SELECT g, at, k, s FROM t ORDER BY g, at, k LIMIT 5;
SELECT g, at, k, s FROM t ORDER BY g DESC, at DESC, k DESC LIMIT 5;
SELECT g, at, k FROM t ORDER BY g, at, k LIMIT 3 OFFSET 9000;
SELECT g, at, k FROM t ORDER BY g, at, k LIMIT 3 OFFSET 20998;
SELECT g, at, k FROM t ORDER BY g DESC, at DESC, k DESC LIMIT 3 OFFSET 15000;
SELECT at, k, n FROM t WHERE s = 's77' ORDER BY g, at, k;
SELECT at, k, n FROM t WHERE n = 77 AND k % 3 = 0 ORDER BY g DESC, at DESC, k DESC LIMIT 4;
SELECT count() FROM (SELECT k FROM t WHERE s = 'nothing' ORDER BY g, at);
-- The first key has one value.
SELECT at, k FROM t WHERE g = 3 ORDER BY at, k LIMIT 4;
SELECT at, k FROM t WHERE g = 3 ORDER BY at DESC, k DESC LIMIT 4;
SELECT at, k FROM t WHERE g = 3 AND s LIKE 't%' ORDER BY at, k LIMIT 4 OFFSET 100;
SELECT g, k FROM t PREWHERE g = 21 ORDER BY at, g, k LIMIT 3;
SELECT count(), min(at) FROM (SELECT at FROM t WHERE g = 100 ORDER BY at);
-- What rises with the key.
SELECT g, toStartOfHour(at) AS h, count() FROM (SELECT g, at FROM t ORDER BY g, toStartOfHour(at)) GROUP BY g, h ORDER BY g, h LIMIT 3;
-- The order goes on behind the key.
SELECT g, s, k FROM t ORDER BY g, s, k LIMIT 4;
SELECT count(), cityHash64(groupArray(k)) FROM (SELECT k FROM t ORDER BY g, s DESC, k);
SELECT count(), cityHash64(groupArray(k)) FROM (SELECT k FROM t WHERE n > 10 ORDER BY g, n, k);
-- Other operators above the order.
SELECT g, k, row_number() OVER (ORDER BY g, at, k) AS r FROM t ORDER BY g, at, k LIMIT 3 OFFSET 5000;
SELECT g, k FROM t ORDER BY g, at, k LIMIT 2 BY g;
SELECT DISTINCT g FROM t ORDER BY g;
SELECT g, sum(k) OVER (PARTITION BY g ORDER BY at, k ROWS BETWEEN 1 PRECEDING AND CURRENT ROW) AS x FROM t ORDER BY g, at, k LIMIT 3;
SELECT k FROM (SELECT * FROM t ORDER BY g, at, k LIMIT 100) ORDER BY k DESC LIMIT 3;
SELECT a.k FROM (SELECT * FROM t ORDER BY g, at, k LIMIT 10) AS a INNER JOIN t AS b ON a.k = b.k ORDER BY a.g, a.at, a.k LIMIT 3;
SELECT k FROM t ORDER BY g, at, k LIMIT 3 SETTINGS optimize_read_in_order = 0;
SELECT k FROM t ORDER BY g, at, k LIMIT 3 SETTINGS use_uncompressed_cache = 1;
SELECT k FROM t ORDER BY g, at, k LIMIT 3 SETTINGS max_threads = 1;
-- Keys that fall, that may be NULL, and NaN.
CREATE TABLE falling (a Int32, b String) ENGINE = MergeTree ORDER BY (a DESC, b) SETTINGS allow_experimental_reverse_key = 1, index_granularity = 16;
INSERT INTO falling SELECT number % 300, toString(number) FROM numbers(3000);
INSERT INTO falling SELECT number % 200 + 150, toString(number) FROM numbers(3000, 1000);
SELECT a, b FROM falling ORDER BY a DESC, b LIMIT 3;
SELECT a, b FROM falling ORDER BY a, b DESC LIMIT 3 OFFSET 1000;
SELECT a, b FROM falling WHERE a = 160 ORDER BY b DESC LIMIT 3;
CREATE TABLE nulls (n Nullable(Int32), x Int32) ENGINE = MergeTree ORDER BY n SETTINGS allow_nullable_key = 1, index_granularity = 16;
INSERT INTO nulls SELECT if(number % 10 = 0, NULL, number % 100), number FROM numbers(1000);
SELECT count(), cityHash64(groupArray(ifNull(n, -1))) FROM (SELECT n FROM nulls ORDER BY n);
SELECT count(), cityHash64(groupArray(ifNull(n, -1))) FROM (SELECT n FROM nulls ORDER BY n DESC);
SELECT count(), cityHash64(groupArray(ifNull(n, -1))) FROM (SELECT n FROM nulls ORDER BY n DESC NULLS FIRST);
SELECT count(), cityHash64(groupArray(ifNull(n, -1))) FROM (SELECT n FROM nulls ORDER BY n NULLS FIRST);
CREATE TABLE floats (f Float64) ENGINE = MergeTree ORDER BY f SETTINGS index_granularity = 4;
INSERT INTO floats VALUES (1), (-1), (nan), (inf), (-inf), (0), (2.5);
SELECT f FROM floats ORDER BY f;
SELECT f FROM floats ORDER BY f DESC;
CREATE TABLE whole (a Int32) ENGINE = MergeTree ORDER BY tuple();
INSERT INTO whole SELECT number * 7 % 10 FROM numbers(10);
SELECT a FROM whole ORDER BY a LIMIT 3;
CREATE TABLE empty (a Int32) ENGINE = MergeTree ORDER BY a;
SELECT a FROM empty ORDER BY a;
-- A column that came later is a key as well.
CREATE TABLE grown (a Int32) ENGINE = MergeTree ORDER BY a SETTINGS index_granularity = 8;
INSERT INTO grown SELECT number % 5 FROM numbers(50);
ALTER TABLE grown ADD COLUMN b Int32, MODIFY ORDER BY (a, b);
INSERT INTO grown SELECT number % 5, number FROM numbers(50);
SELECT a, b FROM grown ORDER BY a, b LIMIT 3 OFFSET 12;
SELECT a, b FROM grown ORDER BY a DESC, b DESC LIMIT 3;
