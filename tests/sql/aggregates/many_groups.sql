SELECT count(), sum(c) FROM (SELECT number % 100003 AS k, count() AS c FROM numbers(500000) GROUP BY k);
SELECT k, c FROM (SELECT toString(number % 1000) AS k, count() AS c FROM numbers(100000) GROUP BY k) ORDER BY c DESC, k LIMIT 5;
SELECT k % 10 AS d, sum(v) FROM (SELECT number % 5000 AS k, max(number) AS v FROM numbers(200000) GROUP BY k) GROUP BY d ORDER BY d;
SELECT count() FROM (SELECT cityHash64(number) % 50000 AS a, number % 3 AS b FROM numbers(300000) GROUP BY a, b);
SELECT sum(number), count(), avg(number) FROM numbers(10000000);
SELECT number % 7 AS k, uniqExact(number), sum(number), min(toString(number)) FROM numbers(100000) GROUP BY k ORDER BY k;
SELECT max(c) FROM (SELECT concat('user', toString(number % 777)) AS u, count() AS c FROM numbers(77700) GROUP BY u HAVING c = 100);
