-- A key that is the same in all rows is not the same in all sets.
SELECT s, k, count() AS c FROM (SELECT 'x' AS s, number % 2 AS k FROM numbers(100)) GROUP BY GROUPING SETS ((s), (k), ()) ORDER BY s, k, c SETTINGS group_by_use_nulls = 1;
SELECT s, k, count() AS c FROM (SELECT 'x' AS s, number % 2 AS k FROM numbers(100)) GROUP BY GROUPING SETS ((s), (k), ()) ORDER BY s, k, c;
SELECT s, k, count() AS c FROM (SELECT number % 3 AS s, number % 2 AS k FROM numbers(100)) WHERE s = 1 GROUP BY ROLLUP(s, k) ORDER BY s DESC, k, c SETTINGS group_by_use_nulls = 1;
SELECT s, k, count() AS c FROM (SELECT number % 3 AS s, 'k' AS k FROM numbers(100)) GROUP BY CUBE(s, k) ORDER BY k, s, c SETTINGS group_by_use_nulls = 1;
SELECT s, count(), sum(c) FROM (SELECT s, k, count() AS c FROM (SELECT 'x' AS s, number % 200 AS k FROM numbers(1000)) GROUP BY CUBE(s, k)) GROUP BY s ORDER BY s SETTINGS group_by_use_nulls = 1, max_block_size = 10;
