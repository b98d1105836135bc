-- The keys in the row of totals are defaults, not NULL.
SELECT number, sum(number) FROM numbers(3) GROUP BY number WITH TOTALS ORDER BY number SETTINGS group_by_use_nulls = 1;
SELECT number, number % 2 AS odd, sum(number) FROM numbers(3) GROUP BY ROLLUP(number, odd) WITH TOTALS ORDER BY ALL SETTINGS group_by_use_nulls = 1;
SELECT x, count() FROM values('x Nullable(UInt8)', 1, NULL) GROUP BY CUBE(x) WITH TOTALS ORDER BY ALL SETTINGS group_by_use_nulls = 1;
