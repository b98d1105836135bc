-- The row of totals of a subquery is handed through by what does not group.
SELECT * FROM (SELECT number % 2 AS k, sum(number) AS s FROM numbers(10) GROUP BY k WITH TOTALS ORDER BY k);
SELECT k + 1, s FROM (SELECT number % 2 AS k, sum(number) AS s FROM numbers(10) GROUP BY k WITH TOTALS) WHERE s > 20;
SELECT * FROM (SELECT number % 2 AS k, sum(number) AS s FROM numbers(10) GROUP BY k WITH TOTALS) ORDER BY s LIMIT 1;
SELECT k FROM (SELECT number % 2 AS k, sum(number) AS s FROM numbers(10) GROUP BY k WITH TOTALS) ORDER BY k LIMIT 1 OFFSET 5;
SELECT DISTINCT s > 1 FROM (SELECT number % 2 AS k, sum(number) AS s FROM numbers(10) GROUP BY k WITH TOTALS);
SELECT DISTINCT ON (k) k, s FROM (SELECT number % 2 AS k, sum(number) AS s FROM numbers(10) GROUP BY k WITH TOTALS) ORDER BY k;
SELECT k, row_number() OVER (ORDER BY k), sum(s) OVER () FROM (SELECT number % 2 AS k, sum(number) AS s FROM numbers(10) GROUP BY k WITH TOTALS) ORDER BY k;
SELECT k FROM (SELECT number % 2 AS k, sum(number) AS s FROM numbers(10) GROUP BY k WITH TOTALS) QUALIFY row_number() OVER (ORDER BY k) = 1;
SELECT arrayJoin([1, 2]), k FROM (SELECT number % 2 AS k, sum(number) AS s FROM numbers(10) GROUP BY k WITH TOTALS) ORDER BY k, 1;
SELECT * FROM (SELECT number % 2 AS k, groupArray(number) AS a FROM numbers(4) GROUP BY k WITH TOTALS) ARRAY JOIN a ORDER BY k, a;
SELECT * FROM (SELECT * FROM (SELECT number % 2 AS k, count() FROM numbers(4) GROUP BY k WITH TOTALS)) ORDER BY k;
SELECT k, s FROM (SELECT number % 2 AS k, sum(number) AS s FROM numbers(10) GROUP BY k WITH TOTALS ORDER BY k) ORDER BY k WITH FILL FROM 0 TO 4;
WITH t AS (SELECT number % 2 AS k, count() FROM numbers(4) GROUP BY k WITH TOTALS) SELECT * FROM t ORDER BY k;
SELECT * FROM (SELECT sum(number) FROM numbers(10) WITH TOTALS);
SELECT k, s FROM (SELECT number % 2 AS k, sum(number) AS s FROM numbers(10) GROUP BY k WITH TOTALS HAVING s > 20) WHERE s IN (SELECT 25);
-- What groups has no totals but its own.
SELECT sum(s) FROM (SELECT number % 2 AS k, sum(number) AS s FROM numbers(10) GROUP BY k WITH TOTALS);
SELECT k, sum(s) FROM (SELECT number % 2 AS k, sum(number) AS s FROM numbers(10) GROUP BY k WITH TOTALS) GROUP BY k ORDER BY k;
SELECT k, sum(s) + 1 FROM (SELECT number % 2 AS k, sum(number) AS s FROM numbers(10) GROUP BY k WITH TOTALS) GROUP BY k WITH TOTALS ORDER BY k;
SELECT * APPLY(max) FROM (SELECT number % 2 AS k, sum(number) AS s FROM numbers(10) GROUP BY k WITH TOTALS);
SELECT 1 IN (SELECT number % 2 AS k FROM numbers(4) GROUP BY k WITH TOTALS), 7 + (SELECT number % 2 AS k FROM numbers(1) GROUP BY k WITH TOTALS);
-- Joins and unions.
SELECT a.k, s, t FROM (SELECT number % 2 AS k, sum(number) AS s FROM numbers(10) GROUP BY k WITH TOTALS) AS a JOIN (SELECT number % 2 AS k, max(number) AS t FROM numbers(10) GROUP BY k WITH TOTALS) AS b ON a.k = b.k ORDER BY 1;
SELECT * FROM (SELECT number % 2 AS k, sum(number) AS s FROM numbers(10) GROUP BY k WITH TOTALS) AS a LEFT JOIN (SELECT number % 2 AS k, max(number) AS t FROM numbers(10) GROUP BY k WITH TOTALS) AS b USING k ORDER BY 1;
SELECT * FROM (SELECT number % 2 AS k, sum(number) AS s FROM numbers(10) GROUP BY k WITH TOTALS) AS a LEFT JOIN (SELECT number AS k, toString(number) AS z FROM numbers(2)) AS b ON a.k = b.k ORDER BY 1;
SELECT * FROM (SELECT number AS k, toString(number) AS z FROM numbers(2)) AS b LEFT JOIN (SELECT number % 2 AS k, sum(number) AS s FROM numbers(10) GROUP BY k WITH TOTALS) AS a ON a.k = b.k ORDER BY 1;
SELECT * FROM (SELECT number % 2 AS k, count() FROM numbers(4) GROUP BY k WITH TOTALS UNION ALL SELECT 5, 6) ORDER BY k;
SELECT * FROM (SELECT 5 AS k, 6 UNION ALL SELECT number % 2 AS k, count() FROM numbers(4) GROUP BY k WITH TOTALS) ORDER BY k;
SELECT number % 2 AS k, count() FROM numbers(4) WHERE k = 0 GROUP BY k WITH TOTALS INTERSECT SELECT 0, 2;
-- Views.
CREATE VIEW with_totals AS SELECT number % 2 AS k, sum(number) AS s FROM numbers(10) GROUP BY k WITH TOTALS;
SELECT * FROM with_totals ORDER BY k;
SELECT k + 1 AS q FROM with_totals WHERE s > 0 ORDER BY k;
SELECT max(s) FROM with_totals;
SELECT * FROM view(SELECT number % 2 AS k, sum(number) AS s FROM numbers(10) GROUP BY k WITH TOTALS) ORDER BY k;
CREATE TABLE copied ENGINE = Memory AS SELECT * FROM with_totals;
SELECT * FROM copied ORDER BY k;
