SELECT * APPLY(max) EXCEPT(number) FROM numbers(3);
SELECT * APPLY(toString) REPLACE(1 AS number) FROM numbers(3);
SELECT * EXCEPT(number) APPLY(max) FROM (SELECT number, number * 2 AS b FROM numbers(3));
SELECT * REPLACE(number + 1 AS number) APPLY(max) APPLY(toString) FROM numbers(3);
SELECT * REPLACE(number + 1 AS number) EXCEPT(number) FROM numbers(3);
SELECT * REPLACE(number + 1 AS number) REPLACE(number * 10 AS number) FROM numbers(3);
SELECT COLUMNS('a|b') APPLY(x -> x + 1) EXCEPT('a') FROM (SELECT 1 AS a, 2 AS b);
