CREATE TABLE t (a Int32, b String) ENGINE = MergeTree ORDER BY (-a, lower(b));
INSERT INTO t VALUES (1, 'B'), (2, 'a'), (1, 'a'), (2, 'C');
SELECT * FROM t;
CREATE TABLE e (x UInt8) ENGINE = MergeTree ORDER BY tuple();
INSERT INTO e VALUES (3), (1), (2);
SELECT sum(x) FROM e;
CREATE TABLE d (t DateTime64(3), p UInt8, v String) ENGINE = MergeTree ORDER BY (p, toDate(t), t);
INSERT INTO d VALUES ('2024-01-02 00:00:00.5', 1, 'c'), ('2024-01-01 00:00:00.25', 1, 'b'), ('2024-01-01 00:00:00', 1, 'a'), ('2023-01-01 00:00:00', 2, 'd');
SELECT v FROM d;
SELECT count() FROM d WHERE toDate(t) = '2024-01-01';
SELECT v FROM d WHERE p = 1 AND t >= '2024-01-01 00:00:00.2' ORDER BY t;
-- error: UNKNOWN_IDENTIFIER
CREATE TABLE bad (a Int32) ENGINE = MergeTree ORDER BY nope;
-- gap: Descending order in a sorting key. (NOT_IMPLEMENTED)
CREATE TABLE rev (a Int32) ENGINE = MergeTree ORDER BY a DESC SETTINGS allow_experimental_reverse_key = 1;
-- gap: Table default.rev does not exist. (UNKNOWN_TABLE)
INSERT INTO rev VALUES (1), (3), (2);
-- gap: Table default.rev does not exist. (UNKNOWN_TABLE)
SELECT a FROM rev ORDER BY a DESC;
-- error: ILLEGAL_COLUMN
CREATE TABLE nk (a Nullable(Int32)) ENGINE = MergeTree ORDER BY a;
-- gap: Sorting key contains nullable columns (a is Nullable(Int32)); use a column that cannot be NULL, or a
CREATE TABLE nk (a Nullable(Int32)) ENGINE = MergeTree ORDER BY a SETTINGS allow_nullable_key = 1;
-- gap: Table default.nk does not exist. (UNKNOWN_TABLE)
INSERT INTO nk VALUES (2), (NULL), (1);
-- gap: Table default.nk does not exist. (UNKNOWN_TABLE)
SELECT a FROM nk ORDER BY a;
-- gap: Table default.nk does not exist. (UNKNOWN_TABLE)
SELECT count() FROM nk WHERE a IS NULL;
CREATE TABLE rev2 (a Int32, b String, n Nullable(Int8)) ENGINE = MergeTree ORDER BY (a DESC, b, n DESC) SETTINGS allow_experimental_reverse_key = 1, allow_nullable_key = 1, index_granularity = 2;
INSERT INTO rev2 SELECT number % 7, toString(number % 3), if(number % 5 = 0, NULL, number % 5) FROM numbers(60);
INSERT INTO rev2 SELECT number % 9, toString(number % 4), NULL FROM numbers(30);
OPTIMIZE TABLE rev2 FINAL;
SELECT DISTINCT a FROM rev2;
SELECT count(), sum(a) FROM rev2 WHERE a > 4;
SELECT count(), sum(a) FROM rev2 WHERE a <= 2 AND b = '1';
SELECT count() FROM rev2 WHERE a = 3 AND n IS NULL;
SELECT count() FROM rev2 WHERE n > 2;
SELECT count() FROM rev2 WHERE a = 3 AND b >= '1' AND n < 3;
SELECT sorting_key, primary_key FROM system.tables WHERE database = currentDatabase() AND name = 'rev2';
INSERT INTO nk SELECT if(number % 3 = 0, NULL, number) FROM numbers(30);
SELECT count() FROM nk WHERE a > 10;
SELECT count() FROM nk WHERE a IS NOT NULL AND a < 5;
