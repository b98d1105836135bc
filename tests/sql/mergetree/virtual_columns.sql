CREATE TABLE t (k UInt8, v UInt32) ENGINE = MergeTree PARTITION BY k ORDER BY v;
INSERT INTO t VALUES (1, 10), (2, 20);
SELECT k, _partition_id, _part LIKE concat(_partition_id, '_%') FROM t ORDER BY k;
SELECT count() FROM t WHERE _partition_id = '1';
SELECT _table FROM t LIMIT 1;
SELECT v FROM t WHERE _partition_value.1 = 2;
SELECT _partition_value, toTypeName(_partition_value) FROM t ORDER BY v;
