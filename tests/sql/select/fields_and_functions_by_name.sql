-- Fields of tuples: of WITH, by a star, by untuple; functions by their names as lambdas.
CREATE TABLE t (id UInt32, g String, d Date, v Nullable(Float64), tp Tuple(a UInt8, b String)) ENGINE = MergeTree ORDER BY id;
INSERT INTO t SELECT number, ['a','b','c'][number % 3 + 1], toDate('2024-01-01') + number, if(number % 5 = 0, NULL, number / 7), (number, toString(number)) FROM numbers(30);
CREATE TABLE u (id UInt32, w UInt32, s String) ENGINE = Memory;
INSERT INTO u VALUES (1, 10, 'x'), (2, 20, 'y'), (50, 500, 'z');
WITH (SELECT 1 AS a, 2 AS b) AS q SELECT q.a, q.b;
WITH (SELECT 1 AS a, 2 AS b) AS q SELECT q, toTypeName(q), q.1;
SELECT 1 WHERE (SELECT 1, 2) = (1, 2);
SELECT id FROM u WHERE (id, w) = (SELECT 2, 20);
SELECT id FROM u WHERE (id, w) IN (SELECT id, max(w) FROM u GROUP BY id) ORDER BY id;
SELECT tp.* FROM t ORDER BY id LIMIT 1;
SELECT tp.* EXCEPT a FROM t ORDER BY id LIMIT 1;
SELECT t.tp.* FROM t ORDER BY id LIMIT 1;
SELECT tp.* APPLY toString FROM t ORDER BY id LIMIT 1;
SELECT tp.* FROM t ORDER BY id LIMIT 1 FORMAT TSVWithNames;
SELECT untuple((1,2)) AS z FORMAT TSVWithNames;
SELECT untuple((1,2)) FORMAT TSVWithNames;
SELECT untuple(tp) AS z FROM t ORDER BY id LIMIT 1 FORMAT TSVWithNames;
SELECT untuple(tp) FROM t ORDER BY id LIMIT 1 FORMAT TSVWithNames;
SELECT arrayMap(toString, [1,2]);
SELECT arrayMap(plus, [1,2], [3,4]);
SELECT arrayFilter(isNotNull, [1,NULL]), arrayMap(upper, ['a']);
SELECT id, arrayMap(negate, [id, w]) FROM u ORDER BY id;
WITH (x -> x + 1) AS f SELECT arrayMap(f, [1,2]);
-- error: UNKNOWN_IDENTIFIER
SELECT arrayMap(nosuch, [1,2]);
SELECT countDistinct(id, s), count(DISTINCT *) FROM u;
SELECT countDistinct(s) FROM u;
SELECT a, b FROM (SELECT [1,2,3] AS x, ['p'] AS y) ARRAY JOIN x AS a, y AS b SETTINGS enable_unaligned_array_join = 1;
SELECT a, b FROM (SELECT [] :: Array(UInt8) AS x, ['p'] AS y) LEFT ARRAY JOIN x AS a, y AS b SETTINGS enable_unaligned_array_join = 1;
-- error: SIZES_OF_ARRAYS_DONT_MATCH
SELECT a, b FROM (SELECT [1,2,3] AS x, ['p'] AS y) ARRAY JOIN x AS a, y AS b;
