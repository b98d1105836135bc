SELECT number % 2 AS k, count(), sum(number), min(number), max(number), avg(number) FROM numbers(10) GROUP BY k ORDER BY k;
SELECT number % 2, count() FROM numbers(10) GROUP BY number % 2 ORDER BY 1;
SELECT number % 2, count() FROM numbers(10) GROUP BY 1 ORDER BY 1;
SELECT number % 2 AS a, number % 3 AS b, count() FROM numbers(12) GROUP BY a, b ORDER BY a, b;
SELECT number % 2 AS a, number % 3 AS b, count() FROM numbers(12) GROUP BY ALL ORDER BY a, b;
SELECT count() FROM numbers(10) WHERE number > 100;
SELECT count(), sum(number) FROM numbers(0);
SELECT number FROM numbers(0) GROUP BY number;
SELECT min(number), max(number), avg(number), any(number) FROM numbers(0);
SELECT toString(number % 3) AS s, count() FROM numbers(9) GROUP BY s HAVING s != '1' ORDER BY s;
SELECT count() FROM numbers(10) HAVING count() > 5;
SELECT count() FROM numbers(10) HAVING count() > 50;
SELECT number % 2 = 0 ? 'even' : 'odd' AS parity, sum(number) FROM numbers(10) GROUP BY parity ORDER BY parity;
-- error: NOT_AN_AGGREGATE
SELECT number, count() FROM numbers(3);
-- error: NOT_AN_AGGREGATE
SELECT number + 1, number % 2 FROM numbers(3) GROUP BY number % 2;
-- error: ILLEGAL_AGGREGATION
SELECT sum(count()) FROM numbers(3);
SELECT NULL AS n, count() FROM numbers(3) GROUP BY n;
SELECT nullIf(number % 3, 0) AS n, count() FROM numbers(9) GROUP BY n ORDER BY n;
SELECT (number % 2, 'x') AS t, count() FROM numbers(4) GROUP BY t ORDER BY t;
SELECT [number % 2] AS a, count() FROM numbers(4) GROUP BY a ORDER BY a;
