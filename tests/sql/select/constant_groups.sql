-- Constants among the keys of GROUP BY: no rows are no group, and each set of ROLLUP and CUBE has one of its own.
SELECT 'x' AS g, count() FROM numbers(0) GROUP BY g;
SELECT 'x' AS g, count() FROM numbers(3) GROUP BY g;
SELECT 1 AS a, 'x' AS b FROM numbers(0) GROUP BY a, b;
SELECT 'x' AS g, count() FROM numbers(0) GROUP BY g WITH ROLLUP;
SELECT 'x' AS g, count() FROM numbers(3) GROUP BY g WITH ROLLUP;
SELECT 'x' AS g, count() FROM numbers(3) GROUP BY g WITH CUBE;
SELECT 1 AS a, 'x' AS g, count() FROM numbers(3) GROUP BY a, g WITH CUBE ORDER BY ALL;
SELECT number % 2 AS g, count() FROM numbers(0) GROUP BY g WITH ROLLUP;
SELECT number % 2 AS g, count() FROM numbers(0) GROUP BY g WITH CUBE;
SELECT number % 2 AS g, count() FROM numbers(0) GROUP BY GROUPING SETS ((g), ());
SELECT toDate('1970-01-01') AS g, number % 2 AS h, count() FROM numbers(3) GROUP BY g, h WITH ROLLUP ORDER BY ALL;
SELECT toDate('1970-01-01') AS g, number % 2 AS h, count() FROM numbers(3) GROUP BY ROLLUP(h, g) ORDER BY ALL;
SELECT greatest('A', '-3') AS g, sum(number) FROM numbers(3) WHERE number > 5 GROUP BY g HAVING count() > 0;
SELECT count() FROM numbers(0) GROUP BY ();
SELECT count() FROM numbers(0) GROUP BY tuple();
SELECT count() FROM numbers(2) GROUP BY ();
