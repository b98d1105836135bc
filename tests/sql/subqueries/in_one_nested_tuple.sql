SELECT (1, (2, 3)) IN (1, (2, 3)), (1, (2, 3)) IN (1, (2, 4)), (1, (2, 3)) NOT IN (1, (2, 3));
SELECT (1, (2, 3)) IN ((1, (2, 3)), (4, (5, 6))), ((1, 2), (3, 4)) IN ((1, 2), (3, 4)), ((1, 2), (3, 4)) IN (((1, 2), (3, 5)), ((1, 2), (3, 4)));
SELECT n, t FROM (SELECT number AS n, (number, number + 1) AS t FROM numbers(5)) WHERE (n, t) IN (3, (3, 4));
SELECT (1, 2) IN (1, 2), (1, 'a') IN (1, 'a'), (1, 'a') IN ((1, 'a'), (2, 'b'));
