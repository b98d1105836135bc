-- first_value and last_value leave NULL out, unless they are told to respect it.
CREATE TABLE t (id UInt8, k UInt8, x Nullable(UInt8)) ENGINE = Memory;
INSERT INTO t VALUES (1, 0, NULL), (2, 0, 5), (3, 0, NULL), (4, 1, NULL), (5, 1, NULL), (6, 0, 7);
SELECT id, first_value(x) OVER (PARTITION BY k ORDER BY id) AS f, last_value(x) OVER (PARTITION BY k ORDER BY id) AS l FROM t ORDER BY id;
SELECT id, first_value(x) RESPECT NULLS OVER (PARTITION BY k ORDER BY id) AS f, last_value(x) RESPECT NULLS OVER (PARTITION BY k ORDER BY id) AS l FROM t ORDER BY id;
SELECT id, first_value(x) IGNORE NULLS OVER (PARTITION BY k ORDER BY id ROWS BETWEEN UNBOUNDED PRECEDING AND UNBOUNDED FOLLOWING) AS f FROM t ORDER BY id;
SELECT id, any(x) OVER (PARTITION BY k ORDER BY id) AS f, anyLast(x) OVER (PARTITION BY k ORDER BY id) AS l FROM t ORDER BY id;
SELECT any(x) RESPECT NULLS, anyLast(x) RESPECT NULLS, any(x), any_value(x) IGNORE NULLS, first_value(x) RESPECT NULLS FROM (SELECT x FROM t ORDER BY id);
