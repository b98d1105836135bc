-- A comma and JOIN bind alike, from left to right.
SELECT a.number, b.number, c.number FROM numbers(2) AS a, numbers(3) AS b RIGHT JOIN numbers(4) AS c ON b.number = c.number ORDER BY ALL;
SELECT a.number, b.number, c.number FROM numbers(3) AS a, numbers(2) AS b LEFT JOIN numbers(2) AS c ON a.number = c.number + 1 ORDER BY ALL;
SELECT count() FROM numbers(2) AS a, numbers(3) AS b JOIN numbers(4) AS c ON b.number = c.number, numbers(2) AS d WHERE a.number = d.number;
SELECT x, e FROM (SELECT [1, 2] AS x) AS a, (SELECT 1 AS y) AS b ARRAY JOIN a.x AS e;
