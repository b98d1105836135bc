-- TOP n is LIMIT n.
SELECT TOP 2 number FROM numbers(9) ORDER BY number DESC;
SELECT TOP (2) number FROM numbers(9) ORDER BY number;
SELECT TOP 2 WITH TIES number % 3 AS g FROM numbers(9) ORDER BY g;
SELECT DISTINCT TOP 2 number % 3 AS g FROM numbers(9) ORDER BY g;
SELECT TOP 2 * FROM numbers(9) ORDER BY number;
SELECT TOP 1 * EXCEPT number FROM (SELECT number, 'x' AS x FROM numbers(9));
SELECT (SELECT TOP 1 number FROM numbers(9) ORDER BY number DESC);
SELECT * FROM (SELECT TOP 1 number FROM numbers(9) ORDER BY number UNION ALL SELECT TOP 1 number FROM numbers(9) ORDER BY number DESC) ORDER BY 1;
SELECT TOP 2 number FROM numbers(9) LIMIT 1 BY number % 4;
SELECT TOP 2 number FROM numbers(9) ORDER BY number SETTINGS max_threads = 1;
-- error: TOP_AND_LIMIT_TOGETHER
SELECT TOP 2 number FROM numbers(9) LIMIT 5;
-- error: SYNTAX_ERROR
SELECT TOP 2, number FROM numbers(9);
-- error: SYNTAX_ERROR
SELECT TOP FROM (SELECT 1 AS TOP);
SELECT 1 AS top, top + 1;
