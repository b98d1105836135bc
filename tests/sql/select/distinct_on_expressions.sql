SELECT DISTINCT ON (number % 3) number FROM numbers(10) ORDER BY number;
SELECT DISTINCT ON (number % 3) number % 3 AS a, number FROM numbers(10) ORDER BY number;
SELECT DISTINCT ON (number % 3, number % 2) number FROM numbers(10) ORDER BY number DESC;
SELECT DISTINCT ON (number % 3) number FROM numbers(10) ORDER BY number LIMIT 2;
SELECT DISTINCT ON (x % 3) number AS x FROM numbers(10) ORDER BY x;
SELECT DISTINCT ON (1) number FROM numbers(3) ORDER BY number;
SELECT DISTINCT ON (number % 2 AS z) number, z FROM numbers(3) ORDER BY number;
SELECT DISTINCT ON (sum(number)) number % 5 FROM numbers(10) GROUP BY number % 5 ORDER BY 1;
SELECT DISTINCT ON (number % 2) count() OVER () FROM numbers(5);
SELECT DISTINCT ON (a) a, number FROM (SELECT number % 2 AS a, number FROM numbers(5)) ORDER BY number DESC;
SELECT DISTINCT ON (a.number) b.number % 2 FROM numbers(4) AS a JOIN numbers(4) AS b ON a.number = b.number ORDER BY a.number;
-- error: SYNTAX_ERROR
SELECT DISTINCT ON (number % 3) number FROM numbers(10) LIMIT 1 BY number % 2;
-- error: UNKNOWN_IDENTIFIER
SELECT DISTINCT ON (z) number AS y FROM numbers(3);
