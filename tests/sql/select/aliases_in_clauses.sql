-- Aliases that are declared behind FROM.
SELECT count() FROM numbers(20) GROUP BY (number % 3) AS r ORDER BY r;
SELECT r, count() FROM numbers(20) GROUP BY (number % 3) AS r ORDER BY r;
SELECT r, count() FROM numbers(20) GROUP BY number % 3 AS r ORDER BY r;
SELECT r, h, count() FROM numbers(20) GROUP BY number % 3 AS r, number % 2 AS h ORDER BY r, h LIMIT 2;
SELECT r, count() FROM numbers(20) GROUP BY number % 3 AS r WITH TOTALS ORDER BY r;
SELECT number FROM numbers(9) ORDER BY (number % 3) AS r, number LIMIT 2;
SELECT number, r FROM numbers(9) ORDER BY (number % 3) AS r DESC, number LIMIT 2;
SELECT number % 3 AS g FROM numbers(20) GROUP BY g ORDER BY count() AS c DESC, g;
SELECT number % 3 AS g, c FROM numbers(20) GROUP BY g ORDER BY count() AS c DESC, g;
SELECT number FROM numbers(20) ORDER BY number AS k DESC NULLS LAST LIMIT 1;
SELECT number FROM numbers(20) WHERE number % 3 = 2 AS b LIMIT 1;
SELECT number FROM numbers(20) ORDER BY number LIMIT 1 BY number % 3 AS x;
SELECT sum(number) OVER (PARTITION BY number % 2 AS p ORDER BY number AS o) FROM numbers(4) ORDER BY ALL;
CREATE TABLE made ENGINE = MergeTree ORDER BY a AS SELECT number AS a FROM numbers(3) ORDER BY a AS b;
SELECT * FROM made ORDER BY a ASCENDING;
SELECT * FROM made ORDER BY a DESCENDING;
SELECT a, sum(a) OVER (ORDER BY a DESCENDING) FROM made ORDER BY a;
SELECT descending FROM (SELECT a AS descending FROM made) ORDER BY descending descending;
SELECT a descending FROM made ORDER BY descending;
-- error: SYNTAX_ERROR
SELECT count() FROM made GROUP BY a HAVING count() AS q > 1;
DROP TABLE made;
