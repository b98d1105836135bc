-- An aggregation without keys gives a row of no rows: conditions on constants beside it are for that row.
SELECT * FROM (SELECT sum(number) AS s, 3 AS k FROM numbers(5)) WHERE k < 2;
SELECT * FROM (SELECT max(number) AS m, 'a' AS source FROM numbers(3) UNION ALL SELECT max(number), 'b' FROM numbers(5)) WHERE source = 'b';
SELECT c FROM (SELECT count() AS c, today() AS day FROM numbers(5)) WHERE day < '2000-01-01';
SELECT * FROM (SELECT count() AS c, 3 AS k FROM numbers(5)) AS a CROSS JOIN (SELECT 3 AS n) AS b WHERE k = 4;
SELECT c FROM (SELECT count() AS c, [1, 2] AS k FROM numbers(5)) WHERE has(k, 7);
SELECT * FROM (SELECT count() AS c FROM numbers(5)) WHERE materialize(0);
SELECT k, s FROM (SELECT sum(number) AS s, 'x' AS k FROM numbers(10) HAVING s > 3) WHERE k = 'y' LIMIT 1;
SELECT k, s FROM (SELECT sum(number) AS s, 'x' AS k FROM numbers(10) HAVING s > 3) WHERE k = 'x';
SELECT * FROM (SELECT number % 3 AS a, sum(number) AS s, 'x' AS k FROM numbers(10) GROUP BY GROUPING SETS ((a), ())) WHERE k = 'y';
SELECT * FROM (SELECT number % 3 AS a, sum(number) AS s FROM numbers(10) GROUP BY ROLLUP(a)) WHERE a = 1;
SELECT sum(number) FROM numbers(5) WHERE 0;
