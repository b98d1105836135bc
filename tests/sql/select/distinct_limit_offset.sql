SELECT DISTINCT number % 4 AS k FROM numbers(20) ORDER BY k LIMIT 2 OFFSET 1;
SELECT number FROM numbers(100) WHERE number % 10 = 0 ORDER BY number LIMIT 3;
SELECT number FROM numbers(100) ORDER BY number DESC LIMIT 2, 2;
SELECT DISTINCT intDiv(number, 5) FROM numbers(20) ORDER BY 1 DESC;
SELECT count() FROM (SELECT number FROM numbers(100) LIMIT 10 OFFSET 95);
SELECT number % 5 AS k, count() AS c FROM numbers(12) GROUP BY k ORDER BY c DESC, k LIMIT 3;
SELECT sum(number) FROM (SELECT number FROM numbers(1000000) LIMIT 10);
