-- Columns that hold tuples of nothing.
CREATE TABLE t (k Int64, e Tuple()) ENGINE = MergeTree ORDER BY k;
INSERT INTO t VALUES (4, ()), (1, tuple());
INSERT INTO t SELECT number, tuple() FROM numbers(3);
SELECT * FROM t ORDER BY k;
OPTIMIZE TABLE t FINAL;
SELECT e, k FROM t WHERE k > 1 ORDER BY k;
SELECT count(), any(e) FROM t;
ALTER TABLE t ADD COLUMN f Tuple();
SELECT * FROM t ORDER BY k LIMIT 1;
CREATE TABLE alone (e Tuple()) ENGINE = MergeTree ORDER BY tuple();
INSERT INTO alone VALUES (()), (());
SELECT * FROM alone;
SELECT count() FROM alone;
CREATE TABLE within (k Int32, l Array(Tuple()), p Tuple(a Int32, b Tuple())) ENGINE = MergeTree ORDER BY k;
INSERT INTO within VALUES (2, [(), ()], (1, ())), (1, [], (2, ()));
SELECT * FROM within;
SELECT k, length(l), p.a, p.b FROM within;
