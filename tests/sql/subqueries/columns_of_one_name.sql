SELECT * FROM (SELECT 1, 1, 1);
SELECT * FROM (SELECT number, number FROM numbers(2)) ORDER BY number;
SELECT number FROM (SELECT number, number FROM numbers(2)) ORDER BY number;
SELECT t.a, t.* FROM (SELECT a, a FROM (SELECT number AS a FROM numbers(2))) AS t ORDER BY a;
SELECT * FROM (SELECT 1 AS a, 2 AS b, 1 AS a);
