SELECT number, sum(number) OVER (ORDER BY number ROWS BETWEEN UNBOUNDED PRECEDING AND CURRENT ROW) FROM numbers(4) ORDER BY number;
SELECT number, sum(number) OVER (ORDER BY number ROWS BETWEEN CURRENT ROW AND UNBOUNDED FOLLOWING) FROM numbers(4) ORDER BY number;
SELECT number, count() OVER (ORDER BY number ROWS BETWEEN 1 PRECEDING AND 1 FOLLOWING) FROM numbers(4) ORDER BY number;
SELECT number, sum(number) OVER (PARTITION BY number % 2 ORDER BY number ROWS 1 PRECEDING) FROM numbers(6) ORDER BY number;
SELECT number, avg(number) OVER (ORDER BY number DESC) FROM numbers(4) ORDER BY number;
SELECT number, row_number() OVER (ORDER BY number % 2, number) AS r FROM numbers(4) ORDER BY r;
SELECT number % 2 AS k, number, rank() OVER (PARTITION BY k ORDER BY number) AS r, sum(number) OVER (PARTITION BY k) AS s FROM numbers(6) ORDER BY number;
