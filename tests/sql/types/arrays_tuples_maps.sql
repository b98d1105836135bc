SELECT CAST([1, 2] AS Array(String)), CAST('[1,2,3]' AS Array(UInt8)), CAST((1, 'a') AS Tuple(a Int32, b String)) AS t, t.a, t.b;
SELECT (1, 'a').1, (1, 'a').2, tupleElement((1, 'a'), 2), untuple((1, 'x'));
SELECT toTypeName([[1], [2, 3]]), [[1], [2, 3]][2], [[1], [2, 3]][2][1];
SELECT [10, 20, 30][1], [10, 20, 30][-1], [10, 20, 30][5], ['a'][2], [NULL, 1][5];
CREATE TABLE t (a Array(UInt16), m Map(String, UInt8), u Tuple(x Int32, y String), n Array(Nullable(String))) ENGINE = Memory;
INSERT INTO t VALUES ([1, 2], {'k': 1, 'l': 2}, (5, 'five'), ['a', NULL]), ([], {}, (0, ''), []);
SELECT * FROM t ORDER BY u.x DESC;
SELECT a[1], m['k'], m['zzz'], u.x, u.y, n[2] FROM t ORDER BY u.x DESC;
SELECT mapKeys(m), mapValues(m), mapContains(m, 'k'), length(m), length(a) FROM t ORDER BY u.x DESC;
SELECT m.keys, m.values, a.size0 FROM t ORDER BY u.x DESC;
SELECT toTypeName(a), toTypeName(m), toTypeName(u), toTypeName(n) FROM t LIMIT 1;
SELECT (1, 2) = (1, 2), (1, 2) < (1, 3), (1, 'a') IN ((1, 'a'), (2, 'b')), [1, 2] = [1, 2], [1, 2] < [1, 3];
SELECT tuple(1, 'a') AS t, (1, (2, 3)).2.1, tuple(5), toTypeName(tuple(5));
-- gap: Function arrayElement: array indices begin with 1, not with 0. (ZERO_ARRAY_OR_TUPLE_INDEX)
SELECT [1, 2][0];
SELECT map('a', [1, 2], 'b', [])['a'], toTypeName(map('a', 1, 'b', NULL));
SELECT a, count() FROM t GROUP BY a ORDER BY a;
