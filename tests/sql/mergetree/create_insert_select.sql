CREATE TABLE t (id UInt64, s String) ENGINE = MergeTree ORDER BY id;
INSERT INTO t VALUES (3, 'c'), (1, 'a'), (2, 'b');
SELECT * FROM t;
INSERT INTO t SELECT number + 10, toString(number) FROM numbers(3);
SELECT count(), sum(id), max(s) FROM t;
SELECT * FROM t WHERE id >= 10 ORDER BY id;
SELECT id FROM t WHERE id = 2;
SELECT s FROM t WHERE s = '1';
INSERT INTO t (s, id) VALUES ('swapped', 100);
SELECT * FROM t WHERE id = 100;
INSERT INTO t (id) VALUES (200);
SELECT * FROM t WHERE id = 200;
EXISTS TABLE t;
DROP TABLE t;
EXISTS TABLE t;
-- error: UNKNOWN_TABLE
SELECT * FROM t;
-- error: UNKNOWN_TABLE
DROP TABLE t;
DROP TABLE IF EXISTS t;
