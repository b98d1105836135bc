-- Aggregates through names from around, sets of equal keys, totals of no rows, lambdas over tuples, ALL and ANY, EXPLAIN SYNTAX, and
-- the errors of what is written in a wrong place.
SELECT count() AS c FROM (SELECT c AS z);
SELECT count() AS c, (SELECT c) AS d;
SELECT count() AS c, (SELECT c + 1) AS d FROM numbers(3);
WITH count() AS c SELECT c, (SELECT c) AS d FROM numbers(3);
WITH count() AS c SELECT z FROM (SELECT c AS z FROM numbers(4));
WITH sum(number) AS s SELECT z FROM (SELECT s AS z FROM numbers(4));
WITH sum(number) AS s SELECT s FROM numbers(4) WHERE number IN (SELECT s FROM numbers(3));
SELECT count() AS c FROM (SELECT 1 AS z) HAVING c IN (SELECT c);
SELECT count() AS c, z FROM numbers(2) AS a CROSS JOIN (SELECT c AS z) AS b GROUP BY z;
SELECT count() + 1 AS c FROM (SELECT c AS z FROM numbers(5));
SELECT count() AS x, n FROM (SELECT arrayMap(x -> x + 1, [number]) AS n FROM numbers(2)) GROUP BY n ORDER BY n;
SELECT max(n) AS number FROM (SELECT number AS n FROM numbers(3));
-- error: UNKNOWN_IDENTIFIER
SELECT sum(z) AS c FROM (SELECT c AS z);

SELECT 1 AS a, 1 AS b, count() FROM numbers(3) GROUP BY CUBE(a, b) ORDER BY ALL;
SELECT 1 AS a, 1 AS b, count() FROM numbers(3) GROUP BY ROLLUP(a, b) ORDER BY ALL;
SELECT count() FROM numbers(3) GROUP BY ROLLUP('a', 'b', 'a');
SELECT count() FROM numbers(3) GROUP BY CUBE('a', 'b', 'a');
SELECT 1 AS a, 1::UInt8 AS b, count() FROM numbers(3) GROUP BY CUBE(a, b) ORDER BY ALL;
SELECT 'a' AS x, 'a' AS y, grouping(x, y) AS g, count() FROM numbers(3) GROUP BY CUBE(x, y) ORDER BY g;
SELECT 'a' AS x, 'a' AS y, grouping(x) AS g, grouping(y) AS h, count() FROM numbers(3) GROUP BY GROUPING SETS ((x), (y), ()) ORDER BY g, h;
SELECT number % 2 AS n, number % 2 AS m, count() FROM numbers(3) GROUP BY CUBE(n, m) ORDER BY ALL;
SELECT number AS n, number AS m, number + 1 AS k, count() FROM numbers(2) GROUP BY n, m, k WITH CUBE ORDER BY ALL SETTINGS group_by_use_nulls = 1;
SELECT number AS n, number AS m, count() FROM numbers(2) GROUP BY n, m WITH ROLLUP WITH TOTALS ORDER BY ALL;
-- error: NOT_IMPLEMENTED
SELECT number FROM numbers(3) GROUP BY number WITH ROLLUP WITH CUBE;
-- error: NOT_IMPLEMENTED
SELECT number FROM numbers(3) GROUP BY ROLLUP(number) WITH CUBE;

SELECT number FROM numbers(0) GROUP BY number WITH TOTALS;
SELECT toString(number) AS s, number FROM numbers(3) WHERE number > 5 GROUP BY number WITH TOTALS;
SELECT 1 FROM numbers(0) GROUP BY number WITH TOTALS;
SELECT number FROM numbers(0) GROUP BY number WITH TOTALS HAVING number > 1;

SELECT arrayMap((a, b) -> a + b, arrayZip([1, 2], [3, 4])), arrayFilter((a, b) -> b > 3, [(1, 3), (2, 4)]);
SELECT arraySort((a, b) -> -b, [('x', 1), ('y', 2)]), arrayExists((a, b) -> a = b, [(1, 2), (3, 3)]), arrayCount((a, b) -> a > b, [(2, 1)]);
SELECT arrayMap((a, b) -> arrayMap(x -> x * a + b, [1, 10]), [(1, 2), (3, 4)]), arrayMap((a, b) -> a || toString(number), [('p', 1)]) FROM numbers(2);
SELECT arrayMap((k, v) -> k || v, CAST(map('a', 'b'), 'Array(Tuple(String, String))')), arraySum((a, b) -> a * b, [(2, 3), (4, 5)]);
SELECT mapFilter(pair -> pair.2 > 1, map('a', 1, 'b', 2)), mapApply(pair -> (pair.1, pair.2 + 1), map('a', 1)), mapApply(x -> x, map(1, 2));
-- error: ILLEGAL_TYPE_OF_ARGUMENT
SELECT arrayMap((x, y) -> x, [1]);
-- error: ILLEGAL_TYPE_OF_ARGUMENT
SELECT arrayMap(x -> x, [1], [2]);
-- error: ILLEGAL_TYPE_OF_ARGUMENT
SELECT arrayFold(acc -> acc, [1], 0);
-- error: ILLEGAL_TYPE_OF_ARGUMENT
SELECT toString(x -> x);

SELECT singleValueOrNull(7), singleValueOrNull(number % 1), singleValueOrNull(number), singleValueOrNull(if(number < 3, NULL, 'a')) FROM numbers(5);
SELECT number % 2 AS k, singleValueOrNull(k), singleValueOrNullIf(number, number < 2) FROM numbers(6) GROUP BY k ORDER BY k;
SELECT singleValueOrNullMerge(s) FROM (SELECT singleValueOrNullState(number % 1) AS s FROM numbers(10) GROUP BY number % 3);
SELECT singleValueOrNull((1, 'a')), singleValueOrNull(number) FROM numbers(0);
SELECT 5 = ALL (SELECT 5 FROM numbers(3)), 5 = ALL (SELECT number FROM numbers(3)), 5 != ANY (SELECT 5 FROM numbers(3)), 5 != ANY (SELECT number FROM numbers(3));
SELECT number FROM numbers(4) WHERE number = ALL (SELECT 2 FROM numbers(3));
SELECT toTypeName(1 = ALL (SELECT 1)), 1 = ALL (SELECT number FROM numbers(0)), 1 != ANY (SELECT number FROM numbers(0)), 1 = ALL (SELECT NULL);

SELECT toTypeName(()), [()], ((), 1), tuple((), ());
SELECT count() FROM numbers(3) GROUP BY GROUPING SETS ((), (number)) ORDER BY ALL;

EXPLAIN SYNTAX SELECT 1;
EXPLAIN SYNTAX SELECT number + 1 AS n, -n, NOT n, n BETWEEN 1 AND 2, n IS NULL FROM numbers(3) WHERE n > 1 AND n < 5 OR n IN (1, 2) ORDER BY n LIMIT 2;
EXPLAIN SYNTAX oneline = 1 SELECT [1, 2, 3] AS a, ['x'], [1.5, 2], [NULL, 1], [[1], [2, 3]], (1, 'a', NULL), [(1, 'a')], [], (), [n, 2], (n, 1), NULL, (1, [2]) FROM t;
EXPLAIN SYNTAX oneline = 1 SELECT (n), (n + 1), (n + 1) AS x, f((n + 1)), ((n + 1)) * 2, a[1], t.1, (a, b).2, n::String, n ? 1 : 2, a || b || c FROM t WHERE (n = 1) ORDER BY (n), (n + 1);
EXPLAIN SYNTAX oneline = 1 SELECT n IN ('x'), n NOT IN (1 + 1, 2), (n, 1) IN ((1, 2), (3, 4)), n IN (NULL), n IN t2, n IN [1, 2], n IN (SELECT 1), n GLOBAL IN (1, 2), n LIKE 'a', n NOT ILIKE 'b', n <=> 1, n IS DISTINCT FROM 1 FROM t;
EXPLAIN SYNTAX oneline = 1 SELECT * APPLY sum, * APPLY(x -> x + 1), * REPLACE (a + 1 AS a), COLUMNS('a') APPLY quantile(0.5), arrayMap((x, y) -> x + y, a, b) FROM t;
EXPLAIN SYNTAX oneline = 1 SELECT sum(n) OVER (PARTITION BY n % 2 ORDER BY n + 1 ROWS BETWEEN 1 PRECEDING AND CURRENT ROW), countIf(n > 1), sum(n) FILTER (WHERE n = 1) FROM t QUALIFY row_number() OVER (ORDER BY n) = 1;
EXPLAIN SYNTAX SELECT a.n FROM t AS a JOIN u AS b ON a.n = b.n AND a.m > 1 GLOBAL LEFT JOIN v USING n ANY RIGHT JOIN w USING (n) ASOF JOIN x ON a.n = x.n AND a.m > x.m CROSS JOIN y, numbers(1 + 1) AS z ARRAY JOIN [1, 2] AS e;
EXPLAIN SYNTAX SELECT a FROM t GROUP BY ROLLUP(a + 1, b) WITH TOTALS HAVING a > 1 ORDER BY a WITH FILL FROM 1 + 1 TO 10 STEP INTERVAL 1 DAY LIMIT 2 BY a + 1 LIMIT 1, 2 SETTINGS max_threads = 1;
EXPLAIN SYNTAX WITH 1 + 1 AS x, (SELECT 2) AS y, z AS (SELECT 3) SELECT x, y, EXISTS (SELECT 1), n = (SELECT max(n) FROM t) FROM z;
EXPLAIN SYNTAX SELECT 1 UNION ALL SELECT 2 UNION ALL (SELECT 3 UNION ALL SELECT 4);
EXPLAIN SYNTAX oneline = 1 SELECT 1 UNION ALL SELECT 2 UNION DISTINCT SELECT 3 UNION ALL SELECT 4 INTERSECT SELECT 5 EXCEPT SELECT 6;
EXPLAIN SYNTAX oneline = 1 SELECT * FROM (SELECT 1 EXCEPT DISTINCT SELECT 2), view(SELECT 1 AS q);
EXPLAIN SYNTAX INSERT INTO FUNCTION null('a UInt8') SELECT number + 1 FROM numbers(3) WHERE number IN (1, 2);
-- error: SYNTAX_ERROR
EXPLAIN SYNTAX DROP TABLE t;
-- error: SYNTAX_ERROR
EXPLAIN SYNTAX CREATE VIEW v AS SELECT 1;
-- error: SYNTAX_ERROR
EXPLAIN SYNTAX SHOW TABLES;

-- error: ILLEGAL_AGGREGATION
SELECT number AS x, sum(x) OVER (ORDER BY x) AS s, avg(s) OVER () FROM numbers(3);
-- error: ILLEGAL_AGGREGATION
SELECT avg(sum(number) OVER ()) OVER () FROM numbers(3);
-- error: NOT_FOUND_COLUMN_IN_BLOCK
SELECT row_number() OVER () AS r, rank() OVER (ORDER BY r) FROM numbers(3);
-- error: ILLEGAL_AGGREGATION
SELECT row_number() OVER () AS r FROM numbers(3) HAVING r = 1;
SELECT sum(number) OVER () AS number FROM numbers(3);
-- error: BAD_ARGUMENTS
SELECT number FROM numbers(3) WINDOW w AS (ORDER BY number), w AS (ORDER BY number);
-- error: NUMBER_OF_COLUMNS_DOESNT_MATCH
SELECT (1, 2) IN (SELECT 1);
SELECT (1, 2) IN (SELECT (1, 2));
-- error: MULTIPLE_EXPRESSIONS_FOR_ALIAS
SELECT 1 FROM numbers(3) AS x JOIN numbers(3) AS x ON 1 = 1;
-- error: MULTIPLE_EXPRESSIONS_FOR_ALIAS
WITH x AS (SELECT 1), x AS (SELECT 2) SELECT * FROM x;
-- error: UNKNOWN_TABLE
WITH RECURSIVE x AS (SELECT n FROM x) SELECT * FROM x;
-- error: CANNOT_CONVERT_TYPE
SELECT quantile('a')(number) FROM numbers(3);
-- error: ILLEGAL_TYPE_OF_ARGUMENT
SELECT sumIf(number) FROM numbers(3);
-- error: NUMBER_OF_ARGUMENTS_DOESNT_MATCH
SELECT sumIf(number > 1) FROM numbers(3);
-- error: ARGUMENT_OUT_OF_BOUND
SELECT tuple(1, 2).3;
-- error: ARGUMENT_OUT_OF_BOUND
SELECT tupleElement((1, 2), 0);
-- error: BAD_ARGUMENTS
SELECT tupleElement((1, 2), 'x');
-- error: UNKNOWN_IDENTIFIER
SELECT t.x FROM (SELECT (1, 2) AS t);
SELECT tupleElement((1, 2), 'x', 7), tupleElement((1, 2), -1);

-- A row that meets several conditions is as many steps of a funnel.
CREATE TABLE steps (u UInt32, t UInt32, x UInt8) ENGINE = Memory;
INSERT INTO steps SELECT intDiv(number, 8), cityHash64(number, 1) % 15, cityHash64(number, 2) % 6 FROM numbers(4000);
SELECT level, count() FROM (SELECT windowFunnel(7)(t, x IN (0, 1), x IN (1, 2), x IN (1, 2, 3), x IN (0, 3)) AS level FROM steps GROUP BY u) GROUP BY level ORDER BY level;
SELECT level, count() FROM (SELECT windowFunnel(7, 'strict_increase')(t, x IN (0, 1), x IN (1, 2), x IN (1, 2, 3), x IN (0, 3)) AS level FROM steps GROUP BY u) GROUP BY level ORDER BY level;
SELECT level, count() FROM (SELECT windowFunnel(7, 'strict_order')(t, x IN (0, 1), x IN (1, 2), x IN (1, 2, 3), x IN (0, 3)) AS level FROM steps GROUP BY u) GROUP BY level ORDER BY level;
SELECT level, count() FROM (SELECT windowFunnel(7, 'strict_deduplication')(t, x IN (0, 1), x IN (1, 2), x IN (1, 2, 3), x IN (0, 3)) AS level FROM steps GROUP BY u) GROUP BY level ORDER BY level;
SELECT level, count() FROM (SELECT windowFunnel(7, 'strict_order', 'strict_deduplication', 'strict_increase')(t, x IN (0, 1), x IN (1, 2), x IN (1, 2, 3), x IN (0, 3)) AS level FROM steps GROUP BY u) GROUP BY level ORDER BY level;
SELECT u, windowFunnel(30, 'strict_once')(t * 100 + u % 8 + x, x IN (0, 1), x IN (1, 2), x IN (1, 2, 3), x IN (0, 3)) AS level, windowFunnel(1500, 'strict_once')(t * 100 + x, x IN (0, 1), x IN (1, 2), x = 3) AS other FROM steps WHERE u < 6 GROUP BY u ORDER BY u;

-- What is of the row around may stand in the columns of a subquery within.
SELECT (SELECT sum(x) FROM (SELECT number * k AS x FROM numbers(3))) AS s FROM (SELECT 2 AS k);
SELECT k, (SELECT max(x) FROM (SELECT number + k AS x FROM numbers(4) WHERE number < k) WHERE x > 1) AS m FROM (SELECT number AS k FROM numbers(4)) ORDER BY k;
SELECT number FROM numbers(5) AS o WHERE number >= ALL (SELECT i.number FROM numbers(5) AS i WHERE i.number <= o.number) ORDER BY number;

-- A table of the columns of a view, where its engine is given.
CREATE VIEW shown AS SELECT 1 AS id, 'a' AS e;
-- error: INCORRECT_QUERY
CREATE TABLE of_view AS shown;
CREATE TABLE of_view AS shown ENGINE = MergeTree ORDER BY id;
INSERT INTO of_view SELECT * FROM shown;
SELECT * FROM of_view;
SHOW CREATE TABLE of_view;
CREATE TEMPORARY TABLE of_view_too AS shown;
SELECT count() FROM of_view_too;
