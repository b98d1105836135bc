CREATE TABLE t (d Date, v UInt32) ENGINE = MergeTree PARTITION BY toYYYYMM(d) ORDER BY v;
INSERT INTO t SELECT toDate('2024-01-01') + number, number FROM numbers(90);
SELECT partition, sum(rows) FROM system.parts WHERE database = currentDatabase() AND table = 't' AND active GROUP BY partition ORDER BY partition;
SELECT count() FROM t WHERE d >= '2024-02-01' AND d < '2024-03-01';
SELECT toYYYYMM(d) AS m, count() FROM t GROUP BY m ORDER BY m;
SELECT DISTINCT partition_id FROM system.parts WHERE database = currentDatabase() AND table = 't' AND active ORDER BY 1;
-- error: TOO_MANY_PARTS
INSERT INTO t SELECT toDate('2000-01-01') + number * 31, number FROM numbers(200);
SELECT count() FROM t;
INSERT INTO t SELECT toDate('2000-01-01') + number * 31, number FROM numbers(200) SETTINGS max_partitions_per_insert_block = 0;
SELECT count() FROM t;
CREATE TABLE u (a UInt8, b String, v UInt32) ENGINE = MergeTree PARTITION BY (a, b) ORDER BY v;
INSERT INTO u VALUES (1, 'x', 1), (1, 'y', 2), (2, 'x', 3);
SELECT partition, rows FROM system.parts WHERE database = currentDatabase() AND table = 'u' AND active ORDER BY partition;
SELECT count() FROM u WHERE a = 1 AND b = 'x';
-- gap: gives another result
SELECT partition, partition_id FROM system.parts WHERE database = currentDatabase() AND table = 'u' AND active AND partition LIKE '(2%';
CREATE TABLE n (v UInt32) ENGINE = MergeTree ORDER BY v;
INSERT INTO n VALUES (1);
SELECT partition, partition_id, name FROM system.parts WHERE database = currentDatabase() AND table = 'n' AND active;
CREATE TABLE h (a Int64, b String, c UUID) ENGINE = MergeTree PARTITION BY (a, b, c) ORDER BY tuple();
INSERT INTO h VALUES (-5, 'x', '61f0c404-5cb3-11e7-907b-a6006ad3dba0');
SELECT partition_id FROM system.parts WHERE database = currentDatabase() AND table = 'h' AND active;
CREATE TABLE g (a DateTime64(3), b Decimal(10, 2), c UInt128, d FixedString(3), e Enum8('x' = 1), f Bool) ENGINE = MergeTree PARTITION BY (a, b, c, d, e, f) ORDER BY tuple();
INSERT INTO g VALUES ('2024-01-01 00:00:00.123', 1.5, 7, 'abc', 'x', true);
SELECT partition_id FROM system.parts WHERE database = currentDatabase() AND table = 'g' AND active;
