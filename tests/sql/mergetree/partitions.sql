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
