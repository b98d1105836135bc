-- What is the same in all rows of a side of an outer join is not where rows of the other side have no match.
SELECT c, count() FROM (SELECT number AS id FROM numbers(100000)) AS t LEFT JOIN (SELECT number * 2 AS id, 5 AS c FROM numbers(30000)) AS u USING id GROUP BY c ORDER BY c SETTINGS join_use_nulls = 1, max_block_size = 100;
SELECT c, count() FROM (SELECT number AS id FROM numbers(100000)) AS t LEFT JOIN (SELECT number * 2 AS id, 5 AS c FROM numbers(30000)) AS u USING id GROUP BY c ORDER BY c SETTINGS max_block_size = 100;
SELECT c, count() FROM (SELECT number * 2 AS id, number % 3 AS c FROM numbers(30000) WHERE c = 2) AS u RIGHT JOIN (SELECT number AS id FROM numbers(100000)) AS t USING id GROUP BY c ORDER BY c SETTINGS join_use_nulls = 1, max_block_size = 100;
SELECT c, d, count() FROM (SELECT number * 2 AS id, 'l' AS c FROM numbers(30000)) AS l FULL JOIN (SELECT number * 3 AS id, 'r' AS d FROM numbers(30000)) AS r USING id GROUP BY c, d ORDER BY c, d SETTINGS max_block_size = 100;
SELECT id, c FROM (SELECT number AS id FROM numbers(6)) AS t LEFT JOIN (SELECT number * 2 AS id, 5 AS c FROM numbers(3)) AS u USING id ORDER BY c, id SETTINGS join_use_nulls = 1;
SELECT id, c FROM (SELECT number AS id FROM numbers(6)) AS t LEFT JOIN (SELECT number * 2 AS id, number % 2 AS c FROM numbers(6) WHERE c = 1) AS u USING id ORDER BY c DESC, id;
SELECT * FROM (SELECT 1 AS k, 'l' AS l) AS a FULL JOIN (SELECT 2 AS k, 'r' AS r) AS b ON a.k = b.k ORDER BY ALL;
SELECT a.k AS x, l, r FROM (SELECT number AS k, 'l' AS l FROM numbers(3)) AS a FULL JOIN (SELECT number + 2 AS k, 'r' AS r FROM numbers(3)) AS b ON a.k = b.k ORDER BY ALL;
SELECT DISTINCT matched FROM (SELECT number AS id FROM numbers(100000)) AS t LEFT JOIN (SELECT number * 2 AS id, true AS matched FROM numbers(30000)) AS u USING id ORDER BY matched SETTINGS join_use_nulls = 1, max_block_size = 100;
SELECT id, c, row_number() OVER (PARTITION BY c ORDER BY id) AS place FROM (SELECT number AS id FROM numbers(8)) AS t LEFT JOIN (SELECT number * 2 AS id, 5 AS c FROM numbers(4)) AS u USING id ORDER BY id;
SELECT c, count() FROM (SELECT number AS id FROM numbers(1000)) AS t LEFT JOIN (SELECT number * 2 AS id, 5 AS c FROM numbers(300)) AS u USING id WHERE c = 5 OR t.id % 100 = 1 GROUP BY c ORDER BY c SETTINGS max_block_size = 10;
