SELECT number % 2 AS a, number % 3 AS b, count() AS c, grouping(a, b) AS g FROM numbers(12) GROUP BY ROLLUP(a, b) ORDER BY g, a, b;
SELECT number % 2 AS a, number % 3 AS b, count() AS c, grouping(a) + grouping(b) AS g FROM numbers(12) GROUP BY CUBE(a, b) ORDER BY g, a, b, c;
SELECT number % 2 AS a, number % 3 AS b, count() AS c FROM numbers(12) GROUP BY GROUPING SETS ((a, b), (a), ()) ORDER BY a, b, c;
SELECT number % 2 AS a, sum(number) FROM numbers(6) GROUP BY a WITH CUBE ORDER BY a, sum(number);
SELECT toString(number % 2) AS a, sum(number) FROM numbers(6) GROUP BY a WITH ROLLUP ORDER BY a, sum(number);
SELECT number % 2 AS a, sum(number) AS s FROM numbers(6) GROUP BY ROLLUP(a) HAVING s > 6 ORDER BY s;
SELECT number % 2 AS a, count() FROM numbers(5) GROUP BY a WITH TOTALS ORDER BY a;
SELECT toString(number % 3) AS a, max(number) FROM numbers(10) GROUP BY a WITH TOTALS ORDER BY a LIMIT 1;
SELECT number % 2 AS a, count() FROM numbers(5) GROUP BY a WITH ROLLUP ORDER BY a, count() SETTINGS group_by_use_nulls = 1;
SELECT number % 2, count() FROM numbers(6) GROUP BY 1 ORDER BY 1;
SELECT number % 2 AS k, number % 3 AS l, count() FROM numbers(12) GROUP BY ALL ORDER BY ALL;
SELECT count() FROM numbers(10) GROUP BY number % 2, intDiv(number, 5) ORDER BY count();
SELECT 1 FROM numbers(3) GROUP BY number ORDER BY number;
SELECT number IN (1, 2) AS x, count() FROM numbers(4) GROUP BY x ORDER BY x;
SELECT number IN (SELECT number FROM numbers(2)) AS x, count() FROM numbers(4) GROUP BY x ORDER BY x;
SELECT (number % 2, 'k') AS t, count() FROM numbers(4) GROUP BY t ORDER BY t;
SELECT [number % 2] AS t, count() FROM numbers(4) GROUP BY t ORDER BY t;
SELECT if(number > 1, 'big', 'small') AS s, sum(number) FROM numbers(4) GROUP BY s ORDER BY s;
SELECT max(number) - min(number) AS spread, number % 2 AS k FROM numbers(10) GROUP BY k HAVING spread > 1 ORDER BY k;
SELECT count() AS c FROM numbers(10) WHERE number > 100;
SELECT sum(number) FROM numbers(10) HAVING sum(number) > 100;
-- error: NOT_AN_AGGREGATE
SELECT number, count() FROM numbers(3);
-- error: ILLEGAL_AGGREGATION
SELECT sum(sum(number)) FROM numbers(3);
-- error: ILLEGAL_AGGREGATION
SELECT number FROM numbers(3) WHERE sum(number) > 1;
-- A key that HAVING makes equal is sorted by.
SELECT number % 2 AS a, count() FROM numbers(6) GROUP BY a WITH ROLLUP HAVING a = 0 ORDER BY ALL;
SELECT number % 2 AS a, number % 3 AS b, count() FROM numbers(6) GROUP BY GROUPING SETS ((a, b), (a), ()) HAVING a = 0 ORDER BY a, b, 3;
