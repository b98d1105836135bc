-- An alias may be used anywhere in the SELECT, before or after it is defined.
SELECT 1 AS a, a + 1 AS b, b * 10 AS c;
SELECT a + 1 AS b, 1 AS a;
SELECT number AS n FROM numbers(5) WHERE n > 2;
SELECT number % 3 AS k, count() AS c FROM numbers(10) GROUP BY k HAVING c > 3 ORDER BY k;
SELECT (number AS n) + 1 AS m, n FROM numbers(3);
WITH 10 AS ten SELECT ten + number FROM numbers(3);
WITH number * 2 AS twice SELECT twice, twice + 1 FROM numbers(3);
SELECT number x, x + 1 y FROM numbers(2) ORDER BY y DESC;
SELECT number AS `strange name`, `strange name` + 1 FROM numbers(2);
SELECT number AS "quoted" FROM numbers(1);
-- error: UNKNOWN_IDENTIFIER
SELECT nothing FROM numbers(1);
SELECT number AS number2 FROM numbers(3) ORDER BY number2 DESC;
SELECT t.number FROM numbers(2) AS t;
SELECT t.number AS x FROM numbers(2) t WHERE t.number = 1;
SELECT sum(number) AS s, s / count() AS mean FROM numbers(11);
-- error: ILLEGAL_AGGREGATION
SELECT sum(number) AS s FROM numbers(3) WHERE s > 1;
