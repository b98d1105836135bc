SELECT number % 4 AS k, count() AS c, sum(number) FROM numbers(10) GROUP BY k WITH TOTALS HAVING c > 2 ORDER BY k;
SELECT number % 4 AS k, count() AS c, sum(number) FROM numbers(10) GROUP BY k WITH TOTALS HAVING c > 2 ORDER BY k SETTINGS totals_mode = 'before_having';
SELECT number % 4 AS k, count() AS c, sum(number) FROM numbers(10) GROUP BY k WITH TOTALS HAVING c > 2 ORDER BY k SETTINGS totals_mode = 'after_having_inclusive';
SELECT number % 4 AS k, count() AS c FROM numbers(10) GROUP BY k WITH TOTALS HAVING c > 2 ORDER BY k SETTINGS totals_mode = 'after_having_auto';
SELECT number % 4 AS k, uniq(number % 3), max(number) FROM numbers(10) GROUP BY k WITH TOTALS HAVING k = 3;
SELECT number % 2 AS a, number % 3 AS b, count(), avg(number) FROM numbers(20) WHERE number > 2 GROUP BY a, b WITH TOTALS HAVING avg(number) > 10 ORDER BY a, b;
SELECT if(number % 3 = 0, NULL, number % 3) AS k, count() FROM numbers(10) GROUP BY k WITH TOTALS HAVING count() > 3;
SELECT number % 3 AS k, count() FROM numbers(10) GROUP BY k WITH TOTALS HAVING count() > 100;
SELECT arrayJoin([1, 2, 2]) AS k, count() FROM numbers(5) GROUP BY k WITH TOTALS HAVING count() > 5;
SELECT l.k, count(), sum(r.v) FROM (SELECT number % 5 AS k FROM numbers(20)) AS l JOIN (SELECT number AS k, number * 10 AS v FROM numbers(4)) AS r ON l.k = r.k GROUP BY l.k WITH TOTALS HAVING l.k > 1 ORDER BY l.k LIMIT 1;
-- error: UNKNOWN_TOTALS_MODE
SELECT number % 2 AS k, count() FROM numbers(10) GROUP BY k WITH TOTALS HAVING k SETTINGS totals_mode = 'never';
