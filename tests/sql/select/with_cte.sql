WITH x AS (SELECT number FROM numbers(3)) SELECT * FROM x ORDER BY number;
WITH x AS (SELECT number AS a FROM numbers(3)), y AS (SELECT a + 1 AS b FROM x) SELECT sum(b) FROM y;
WITH (SELECT max(number) FROM numbers(10)) AS top SELECT number FROM numbers(12) WHERE number >= top ORDER BY number;
WITH x AS (SELECT 1 AS a UNION ALL SELECT 2) SELECT l.a, r.a FROM x AS l CROSS JOIN x AS r ORDER BY l.a, r.a;
WITH 'abc' AS s, length(s) AS n SELECT s, n;
WITH RECURSIVE r AS (SELECT 1 AS n UNION ALL SELECT n + 1 FROM r WHERE n < 5) SELECT n FROM r ORDER BY n;
WITH x AS (SELECT number AS a FROM numbers(5)) SELECT count() FROM x WHERE a IN (SELECT a FROM x WHERE a > 2);
WITH t AS (SELECT 5 AS v) SELECT (SELECT v FROM t) + 1;
WITH (x, y) -> x * y AS mul SELECT mul(3, 4);
-- error: UNKNOWN_TABLE
SELECT * FROM undefined_cte;
