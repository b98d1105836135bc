SELECT (1, (2, 3)) IN (1, (2, 3)), (1, (2, 3)) IN (1, (2, 4)), (1, (2, 3)) NOT IN (1, (2, 3));
SELECT (1, (2, 3)) IN ((1, (2, 3)), (4, (5, 6))), ((1, 2), (3, 4)) IN ((1, 2), (3, 4)), ((1, 2), (3, 4)) IN (((1, 2), (3, 5)), ((1, 2), (3, 4)));
SELECT n, t FROM (SELECT number AS n, (number, number + 1) AS t FROM numbers(5)) WHERE (n, t) IN (3, (3, 4));
SELECT (1, 2) IN (1, 2), (1, 'a') IN (1, 'a'), (1, 'a') IN ((1, 'a'), (2, 'b'));
SELECT (1, 2) IN ((1, 2), NULL), (1, 2) IN ((3, 4), (1, 2), NULL);
WITH (1, 10) AS p SELECT (id, v) IN (p, (2, 20)) FROM (SELECT number AS id, number * 10 AS v FROM numbers(4)) ORDER BY id;
SELECT (id, k) IN ((SELECT 1, 'a'), (2, 'x')) FROM (SELECT 1 AS id, 'a' AS k);
