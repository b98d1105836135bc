-- max_partitions_to_read counts the partitions of which the partition key and the primary key leave something.
CREATE TABLE t (p UInt32, a UInt32, b UInt32, s String) ENGINE = MergeTree PARTITION BY p ORDER BY (a, b) SETTINGS index_granularity = 2;
INSERT INTO t VALUES (1, 1, 8, 'x'), (1, 1, 9, 'x'), (1, 2, 1, 'x'), (1, 2, 2, 'x');
INSERT INTO t VALUES (2, 1, 5, 'y'), (2, 1, 6, 'y'), (2, 2, 3, 'y'), (2, 2, 4, 'y');
INSERT INTO t VALUES (3, 7, 5, 'z'), (3, 7, 6, 'z'), (3, 8, 3, 'z'), (3, 8, 4, 'z');
CREATE TABLE f (p UInt32, a UInt32, v UInt32) ENGINE = ReplacingMergeTree PARTITION BY p ORDER BY a SETTINGS max_partitions_to_read = 2;
INSERT INTO f VALUES (1, 1, 1), (1, 2, 2), (2, 11, 3), (2, 12, 4), (3, 21, 5), (3, 22, 6);
-- error: TOO_MANY_PARTITIONS
SELECT sum(v) FROM f FINAL;
SELECT sum(v) FROM f FINAL WHERE a < 20;
SELECT sum(v) FROM f WHERE a < 20;
SELECT sum(v) FROM f FINAL SETTINGS max_partitions_to_read = 3;
ALTER TABLE f DELETE WHERE v = 3 SETTINGS mutations_sync = 2;
SELECT sum(v) FROM f SETTINGS max_partitions_to_read = 0;
SET max_partitions_to_read = 1;
-- error: TOO_MANY_PARTITIONS
SELECT p, a, b FROM t ORDER BY p, a, b;
-- error: TOO_MANY_PARTITIONS
SELECT p, a, b FROM t WHERE a < 5 ORDER BY p, a, b;
SELECT p, a, b FROM t WHERE p = 2 ORDER BY a, b;
SELECT p, a, b FROM t WHERE a > 5 ORDER BY a, b;
SELECT p, a, b, s FROM t WHERE a = 1 AND b = 5;
SELECT p, a, b FROM t WHERE _partition_id = '3' ORDER BY a, b;
SELECT p, a, b FROM t WHERE a = 100;
SELECT count() FROM t WHERE a > 5;
-- error: TOO_MANY_PARTITIONS
SELECT a FROM t ORDER BY a LIMIT 1;
-- error: TOO_MANY_PARTITIONS
SELECT s FROM t LIMIT 1;
-- What is known without reading reads none.
SELECT count() FROM t;
