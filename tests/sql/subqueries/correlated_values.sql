-- EXISTS of the rows around it as a value, and scalar subqueries with other conditions than equalities.
CREATE TABLE t (id UInt32, g String, d Date, v Nullable(Float64), tp Tuple(a UInt8, b String)) ENGINE = MergeTree ORDER BY id;
INSERT INTO t SELECT number, ['a','b','c'][number % 3 + 1], toDate('2024-01-01') + number, if(number % 5 = 0, NULL, number / 7), (number, toString(number)) FROM numbers(30);
CREATE TABLE u (id UInt32, w UInt32, s String) ENGINE = Memory;
INSERT INTO u VALUES (1, 10, 'x'), (2, 20, 'y'), (50, 500, 'z');
SELECT id, EXISTS(SELECT 1 FROM u WHERE u.id = t.id) FROM t ORDER BY id LIMIT 4;
SELECT id, NOT EXISTS(SELECT 1 FROM u WHERE u.id = t.id) AS e FROM t ORDER BY id LIMIT 4;
SELECT id, if(EXISTS(SELECT 1 FROM u WHERE u.id = t.id AND w > 10), 'y', 'n') FROM t ORDER BY id LIMIT 4;
SELECT count() FROM t WHERE EXISTS(SELECT 1 FROM u WHERE u.id = t.id) OR id > 27;
SELECT id, (SELECT sum(w) FROM u WHERE u.id < t.id) FROM t ORDER BY id LIMIT 4;
SELECT id, (SELECT max(w) FROM u WHERE u.id <= t.id AND u.w > 10) AS m FROM t ORDER BY id LIMIT 4;
SELECT id FROM t WHERE (SELECT max(w) FROM u WHERE u.id <= t.id) = 20 ORDER BY id LIMIT 2;
SELECT id, (SELECT sum(w) FROM u WHERE u.id < t.id AND u.s < t.g) FROM t ORDER BY id LIMIT 4;
SELECT id, (SELECT sum(w) FROM u WHERE u.id < t.id) + (SELECT min(w) FROM u WHERE u.id > t.id) FROM t ORDER BY id LIMIT 4;
SELECT id, EXISTS(SELECT 1 FROM u WHERE u.id > t.id AND w < 100) FROM t ORDER BY id LIMIT 4;
SELECT id, NOT EXISTS(SELECT 1 FROM u WHERE u.id > t.id AND w < 100) FROM t ORDER BY id LIMIT 4;
