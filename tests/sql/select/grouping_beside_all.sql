SELECT grouping(k) + 1 AS g, k, count() FROM (SELECT toString(number % 2) AS k FROM numbers(4)) GROUP BY ALL WITH ROLLUP ORDER BY ALL;
SELECT k, count() + 1 AS c FROM (SELECT toString(number % 2) AS k FROM numbers(4)) GROUP BY ALL WITH ROLLUP ORDER BY ALL;
