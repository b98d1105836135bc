CREATE TABLE l (id UInt32, a String) ENGINE = Memory;
CREATE TABLE r (id UInt32, b Nullable(Int32), c String) ENGINE = Memory;
INSERT INTO l VALUES (1, 'one'), (2, 'two'), (3, 'three'), (3, 'drei');
INSERT INTO r VALUES (2, 20, 'x'), (3, NULL, 'y'), (3, 33, 'z'), (4, 40, 'w');
SELECT l.id, a, b, c FROM l INNER JOIN r ON l.id = r.id ORDER BY l.id, a, c;
SELECT l.id, a, b, c FROM l JOIN r USING (id) ORDER BY id, a, c;
SELECT id, a, b, c FROM l LEFT JOIN r USING id ORDER BY id, a, c;
SELECT l.id, a, r.id, b, c FROM l LEFT JOIN r ON l.id = r.id ORDER BY l.id, a, c;
SELECT l.id, a, r.id, b, c FROM l RIGHT JOIN r ON l.id = r.id ORDER BY r.id, a, c;
SELECT l.id, a, r.id, b, c FROM l FULL JOIN r ON l.id = r.id ORDER BY l.id, r.id, a, c;
SELECT l.id, a, r.id, b, c FROM l LEFT JOIN r ON l.id = r.id ORDER BY l.id, a, c SETTINGS join_use_nulls = 1;
SELECT l.id, a, r.id, c FROM l FULL OUTER JOIN r ON l.id = r.id ORDER BY l.id, r.id, a, c SETTINGS join_use_nulls = 1;
SELECT count() FROM l CROSS JOIN r;
SELECT count() FROM l, r WHERE l.id = r.id;
SELECT l.id, r.id FROM l JOIN r ON l.id = r.id AND r.b > 20 ORDER BY l.id, r.id;
SELECT l.id, r.c FROM l LEFT JOIN r ON l.id = r.id AND r.b > 20 ORDER BY l.id, a;
SELECT l.id, count() FROM l JOIN r ON l.id = r.id GROUP BY l.id ORDER BY l.id;
SELECT x.id, y.id FROM l AS x JOIN l AS y ON x.id = y.id + 1 ORDER BY x.id, y.id;
SELECT * FROM l JOIN r ON l.id = r.id ORDER BY l.id, a, c LIMIT 1;
SELECT l.* FROM l JOIN r ON l.id = r.id ORDER BY l.id, a, c LIMIT 1;
SELECT id FROM l FULL JOIN r USING id ORDER BY id;
-- error: AMBIGUOUS_IDENTIFIER
SELECT id FROM l JOIN r ON l.id = r.id;
-- error: INVALID_JOIN_ON_EXPRESSION
SELECT 1 FROM l LEFT JOIN r ON l.nope = r.id;
