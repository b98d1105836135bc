SELECT number % 2 AS a, number % 3 AS b, count() FROM numbers(12) GROUP BY ROLLUP(a, b) ORDER BY a, b, count();
SELECT number % 2 AS a, number % 3 AS b, count() FROM numbers(12) GROUP BY CUBE(a, b) ORDER BY a, b, count();
SELECT number % 2 AS a, number % 3 AS b, sum(number) FROM numbers(12) GROUP BY GROUPING SETS ((a), (b)) ORDER BY a, b, sum(number);
SELECT number % 2 AS a, count() FROM numbers(12) GROUP BY a WITH TOTALS ORDER BY a;
SELECT number % 2 AS a, count() FROM numbers(12) GROUP BY a WITH ROLLUP ORDER BY a, count();
SELECT number % 2 AS a, grouping(a) AS g, count() FROM numbers(4) GROUP BY ROLLUP(a) ORDER BY g, a;
SELECT toNullable(number % 2) AS a, count() FROM numbers(4) GROUP BY ROLLUP(a) ORDER BY a, count() SETTINGS group_by_use_nulls = 1;
