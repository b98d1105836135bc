-- A Nested column is declared as an array for each field, all of one length in a row.
CREATE TABLE t (id Int32, m Nested(k String, v UInt32), x Nested(a Int8)) ENGINE = MergeTree ORDER BY id;
SELECT name, type FROM system.columns WHERE database = currentDatabase() AND table = 't' ORDER BY position;
INSERT INTO t VALUES (1, ['a', 'b'], [1, 2], [5]);
-- error: SIZES_OF_ARRAYS_DONT_MATCH
INSERT INTO t VALUES (1, ['a', 'b'], [1], [5]);
INSERT INTO t (id, m.k, m.v) VALUES (2, ['c', 'd'], [3, 4]);
-- What is left out has as many elements as what is beside it.
INSERT INTO t (id, m.k) VALUES (3, ['e', 'f', 'g']);
SELECT * FROM t ORDER BY id;
SELECT m FROM t ORDER BY id;
SELECT t.m FROM t WHERE id = 1;
SELECT toTypeName(m.k), toTypeName(x.a) FROM t LIMIT 1;
SELECT m.k, length(m.v) FROM t ORDER BY id;
SELECT t.m.k, `m.v` FROM t ORDER BY id;
SELECT arrayMap((k, v) -> concat(k, toString(v)), m.k, m.v) FROM t ORDER BY id;
SELECT id, m.k, m.v FROM t ARRAY JOIN m ORDER BY id, m.k;
SELECT id, n.k, n.v FROM t ARRAY JOIN m AS n ORDER BY id, n.k;
SELECT id, k FROM t ARRAY JOIN m.k AS k ORDER BY id, k;
SELECT id, x.a FROM t LEFT ARRAY JOIN x ORDER BY id;
-- ALTER: parts that are there have as many elements, too.
ALTER TABLE t ADD COLUMN m.z Array(Float64) AFTER m.v;
SELECT id, m.z FROM t ORDER BY id;
INSERT INTO t (id, m.z) VALUES (4, [0.5]);
SELECT * FROM t WHERE id = 4;
SELECT m FROM t WHERE id = 4;
ALTER TABLE t DROP COLUMN m;
ALTER TABLE t ADD COLUMN q Nested(a Int8, b String) FIRST;
SELECT name, type FROM system.columns WHERE database = currentDatabase() AND table = 't' ORDER BY position;
INSERT INTO t FORMAT JSONEachRow {"id": 10, "q.a": [1, 2], "q.b": ["x", "y"]};
SELECT * FROM t WHERE id > 9;
OPTIMIZE TABLE t FINAL;
SELECT * FROM t ORDER BY id;
-- As one column.
SET flatten_nested = 0;
CREATE TABLE u (id Int32, m Nested(k String, v UInt32)) ENGINE = MergeTree ORDER BY id;
INSERT INTO u VALUES (1, [('a', 1), ('b', 2)]);
SELECT m, m.k, m.v FROM u;
SET flatten_nested = 1;
CREATE TABLE s (id Int32, aMap Nested(k UInt8, v UInt64, w UInt64), n UInt8, b Nested(k UInt8, v UInt64)) ENGINE = SummingMergeTree ORDER BY id;
INSERT INTO s VALUES (1, [1, 2], [10, 20], [1, 1], 1, [1], [1]), (1, [2, 3], [5, 6], [1, 1], 2, [1], [1]);
OPTIMIZE TABLE s FINAL;
SELECT * FROM s;
CREATE TABLE d (m Nested(k String)) ENGINE = MergeTree ORDER BY tuple();
