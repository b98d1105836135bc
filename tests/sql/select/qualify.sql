SELECT number, row_number() OVER (PARTITION BY number % 2 ORDER BY number) AS r FROM numbers(6) QUALIFY r = 1 ORDER BY number;
SELECT number FROM numbers(6) QUALIFY row_number() OVER (ORDER BY number DESC) <= 2 ORDER BY number;
SELECT number % 3 AS k, sum(number) AS s FROM numbers(9) GROUP BY k QUALIFY rank() OVER (ORDER BY s DESC) = 1;
