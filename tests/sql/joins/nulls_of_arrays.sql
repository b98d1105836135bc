-- With join_use_nulls, what has no NULL has its default where nothing matched.
CREATE TABLE l (id UInt8) ENGINE = Memory;
INSERT INTO l VALUES (1), (2);
CREATE TABLE r (id UInt8, a Array(UInt8), m Map(String, UInt8), s String) ENGINE = Memory;
INSERT INTO r VALUES (1, [1], map('x', 1), 'one');
SELECT l.id, a, m, s, toTypeName(a), toTypeName(m), toTypeName(s) FROM l LEFT JOIN r ON l.id = r.id ORDER BY l.id SETTINGS join_use_nulls = 1;
SELECT r.id, a, m, s FROM r RIGHT JOIN l ON l.id = r.id ORDER BY l.id SETTINGS join_use_nulls = 1;
SELECT l.id, r.id, a, m, s FROM l FULL JOIN r ON l.id = r.id + 1 ORDER BY ALL SETTINGS join_use_nulls = 1;
