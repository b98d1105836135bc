-- What a recursion counts becomes as wide as it has to be.
WITH RECURSIVE t AS (SELECT 1 AS n UNION ALL SELECT n + 1 FROM t WHERE n < 300) SELECT count(), max(n), toTypeName(max(n)) FROM t;
WITH RECURSIVE t AS (SELECT 1 AS n, 'a' AS s UNION ALL SELECT n * 2, s || 'b' FROM t WHERE n < 100000) SELECT n, length(s), toTypeName(n) FROM t ORDER BY n DESC LIMIT 2;
WITH RECURSIVE t AS (SELECT 1 AS a, 1 AS b UNION ALL SELECT b, a + b FROM t WHERE b < 10000) SELECT max(b), toTypeName(max(b)), toTypeName(max(a)), count() FROM t;
WITH RECURSIVE t AS (SELECT toUInt8(250) AS n UNION ALL SELECT toUInt8(n + 1) FROM t WHERE n != 3) SELECT arraySort(groupArray(n)), any(toTypeName(n)) FROM t;
WITH RECURSIVE t AS (SELECT 1 AS n UNION ALL SELECT n + 0.5 FROM t WHERE n < 3) SELECT arraySort(groupArray(n)), any(toTypeName(n)) FROM t;
WITH RECURSIVE t AS (SELECT 1 AS n UNION ALL SELECT n - 1 FROM t WHERE n > -3) SELECT arraySort(groupArray(n)), any(toTypeName(n)) FROM t;
WITH RECURSIVE t AS (SELECT 1 AS n, CAST(NULL AS Nullable(UInt8)) AS p UNION ALL SELECT n + 1, n FROM t WHERE n < 4) SELECT n, p, toTypeName(p) FROM t ORDER BY n;
WITH RECURSIVE t AS (SELECT 1 AS n, [1] AS path UNION ALL SELECT n + 1, arrayPushBack(path, n + 1) FROM t WHERE n < 4) SELECT n, path, toTypeName(path) FROM t ORDER BY n;
WITH RECURSIVE t AS (SELECT 1 AS n, (1, 'x') AS p UNION ALL SELECT n + 1, (n + 1, concat(p.2, 'y')) FROM t WHERE n < 3) SELECT n, p, toTypeName(p) FROM t ORDER BY n;
WITH RECURSIVE t AS (SELECT toDate('2020-01-01') AS d UNION ALL SELECT d + 1 FROM t WHERE d < '2020-01-04') SELECT d, toTypeName(d) FROM t ORDER BY d;
WITH RECURSIVE edges AS (SELECT number AS f, number + 1 AS g FROM numbers(5)), walk AS (SELECT 0 AS node, 0 AS depth UNION ALL SELECT g, depth + 1 FROM edges JOIN walk ON edges.f = walk.node) SELECT node, depth, toTypeName(node), toTypeName(depth) FROM walk ORDER BY node;
WITH RECURSIVE t AS (SELECT 1 AS n UNION ALL SELECT n + 1 FROM t WHERE n < 300) SELECT a.n FROM t AS a JOIN t AS b ON a.n = b.n + 298 ORDER BY a.n;
