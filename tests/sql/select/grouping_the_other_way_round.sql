SELECT a, b, GROUPING(a, b), count() FROM (SELECT number % 2 AS a, number AS b FROM numbers(4)) GROUP BY GROUPING SETS ((a, b), (a), ()) ORDER BY ALL SETTINGS force_grouping_standard_compatibility = 0;
SELECT a, b, GROUPING(b), GROUPING(a, b), count() FROM (SELECT number % 2 AS a, number AS b FROM numbers(4)) GROUP BY ROLLUP(a, b) ORDER BY ALL SETTINGS force_grouping_standard_compatibility = 0;
SELECT a, b, GROUPING(b), GROUPING(a, b), count() FROM (SELECT number % 2 AS a, number AS b FROM numbers(4)) GROUP BY ROLLUP(a, b) ORDER BY ALL;
