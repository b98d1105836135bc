SELECT arrayJoin([1, 2, 3]) AS x;
SELECT number, arrayJoin([10, 20]) AS x FROM numbers(2) ORDER BY number, x;
CREATE TABLE t (id UInt8, a Array(String), b Array(UInt8)) ENGINE = Memory;
INSERT INTO t VALUES (1, ['x', 'y'], [1, 2]), (2, [], []), (3, ['z'], [9]);
SELECT id, a FROM t ARRAY JOIN a ORDER BY id, a;
SELECT id, e FROM t ARRAY JOIN a AS e ORDER BY id, e;
SELECT id, e, n FROM t ARRAY JOIN a AS e, b AS n ORDER BY id, n;
SELECT id, e, i FROM t ARRAY JOIN a AS e, arrayEnumerate(a) AS i ORDER BY id, i;
SELECT id, a FROM t LEFT ARRAY JOIN a ORDER BY id, a;
SELECT id, x FROM t ARRAY JOIN [100, 200] AS x WHERE id = 1 ORDER BY x;
SELECT sum(n) FROM t ARRAY JOIN b AS n;
SELECT arrayJoin([1, 2]) AS a, arrayJoin([10, 20]) AS b ORDER BY a, b;
-- error: ILLEGAL_TYPE_OF_ARGUMENT
SELECT arrayJoin([]);
-- error: TYPE_MISMATCH
SELECT id FROM t ARRAY JOIN id;
-- error: SIZES_OF_ARRAYS_DONT_MATCH
SELECT x, y FROM t ARRAY JOIN [1, 2] AS x, [1] AS y;
SELECT k, v FROM (SELECT map('a', 1, 'b', 2) AS m) ARRAY JOIN mapKeys(m) AS k, mapValues(m) AS v ORDER BY k;
