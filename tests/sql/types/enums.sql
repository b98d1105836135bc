CREATE TABLE t (e Enum8('a' = 1, 'b' = 2, 'zz' = -5), f Enum('x', 'y')) ENGINE = Memory;
INSERT INTO t VALUES ('a', 'x'), ('b', 'y'), ('zz', 'x'), (1, 2);
SELECT e, toInt8(e), f, CAST(f AS Int8) FROM t ORDER BY e, f;
SELECT e FROM t WHERE e = 'b';
SELECT e FROM t WHERE e IN ('a', 'zz') ORDER BY e;
SELECT e, count() FROM t GROUP BY e ORDER BY e;
SELECT toTypeName(e), toTypeName(f) FROM t LIMIT 1;
-- error: UNKNOWN_ELEMENT_OF_ENUM
INSERT INTO t VALUES ('nope', 'x');
SELECT count() FROM t;
SELECT CAST('b' AS Enum8('a' = 1, 'b' = 2)), CAST(2 AS Enum8('a' = 1, 'b' = 2)), toString(CAST(1 AS Enum8('a' = 1)));
SELECT length(toString(e)), concat('<', toString(e), '>') FROM t ORDER BY e, f LIMIT 2;
SELECT min(e), max(e) FROM t;
