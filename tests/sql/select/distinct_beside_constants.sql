-- DISTINCT rows with constants among their columns, which may have no order of their own.
SELECT DISTINCT map('a', 2, ',', 1) AS m, intDiv(number, 3) AS n FROM numbers(9) ORDER BY ALL;
SELECT DISTINCT intDiv(number, 3) AS n, 'x' AS c, [1, 2] AS a FROM numbers(9) ORDER BY ALL;
SELECT DISTINCT 1 AS a, 'x' AS b FROM numbers(9);
SELECT DISTINCT 1 AS a, number % 2 AS b FROM numbers(9) ORDER BY b DESC LIMIT 1;
SELECT DISTINCT 1 AS a, number % 2 AS b FROM numbers(0) ORDER BY ALL;
SELECT count() FROM (SELECT DISTINCT 5, number % 4 AS b, map('a', 1) FROM numbers(100000));
SELECT DISTINCT NULL AS a, number % 2 AS b FROM numbers(9) ORDER BY b;
SELECT DISTINCT number % 2 AS b, 1 AS a, number % 2 AS c FROM numbers(9) ORDER BY b;
SELECT DISTINCT map('a', 2) AS m, number % 2 AS n FROM numbers_mt(1000000) ORDER BY ALL;
