-- What REPLACE puts in the place of a column goes by its name in all clauses; within REPLACE names are columns.
SELECT * REPLACE (a AS b) FROM (SELECT 1 AS a, 2 AS b) WHERE b = 1;
SELECT * REPLACE (b AS a, a AS b) FROM (SELECT 1 AS a, 2 AS b) WHERE a = 2;
SELECT * REPLACE (-a AS a) FROM (SELECT arrayJoin([1, 2, 3]) AS a) ORDER BY a;
SELECT * REPLACE (a % 2 AS a), count() FROM (SELECT arrayJoin([1, 2, 3]) AS a, 2 AS b) GROUP BY a, b ORDER BY a;
SELECT t.* REPLACE (a + 1 AS a), a + 100 AS c, t.a AS d FROM (SELECT 1 AS a) AS t WHERE t.a = 1;
