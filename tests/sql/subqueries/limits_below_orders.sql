-- The rows of an inner LIMIT are chosen before those above it are put in order, whatever order they come in.
SELECT * FROM (SELECT * FROM numbers(10000000) LIMIT 5000000, 100000) ORDER BY number LIMIT 3;
SELECT * FROM (SELECT * FROM numbers(10000000) LIMIT 5000000, 100000) ORDER BY number DESC LIMIT 2 OFFSET 1;
SELECT * FROM (SELECT number AS k, k % 3 AS v FROM numbers(100000) ORDER BY k LIMIT 1000, 5000) ORDER BY k, v LIMIT 2;
SELECT * FROM (SELECT number AS k, k % 3 AS v FROM numbers(100000) ORDER BY k LIMIT 1000, 5000) ORDER BY v, k LIMIT 2;
-- Windows and joins ask for orders of their own.
SELECT k, v, row_number() OVER (ORDER BY k, v) AS place FROM (SELECT number AS k, k % 3 AS v FROM numbers(100000) ORDER BY k LIMIT 1000, 5000) ORDER BY place LIMIT 2;
SELECT min(k), max(k), max(place) FROM (SELECT k, row_number() OVER (PARTITION BY v ORDER BY k) AS place FROM (SELECT number AS k, k % 3 AS v FROM numbers(100000) ORDER BY k LIMIT 1000, 5000));
SELECT a.k, b.k FROM (SELECT number AS k FROM numbers(1000) ORDER BY k LIMIT 500, 10) AS a JOIN (SELECT number AS k FROM numbers(1000) ORDER BY k DESC LIMIT 490, 10) AS b ON a.k = b.k ORDER BY a.k LIMIT 3;
-- An order that is not shown chooses as well, and so does an OFFSET alone.
SELECT count(), min(a), max(a) FROM (SELECT number AS a FROM numbers(1000) ORDER BY -number LIMIT 10, 20);
SELECT count(), min(a), max(a) FROM (SELECT number AS a FROM numbers(1000) ORDER BY -number OFFSET 990);
SELECT a FROM (SELECT number AS a FROM numbers(1000) ORDER BY -number OFFSET 990) ORDER BY a LIMIT 2;
-- Limits of limits.
SELECT * FROM (SELECT * FROM (SELECT number FROM numbers(1000) ORDER BY number LIMIT 100, 200) ORDER BY number DESC LIMIT 50, 20) ORDER BY number LIMIT 3;
SELECT number FROM (SELECT number FROM numbers(100) ORDER BY number LIMIT 50, 10 UNION ALL SELECT number FROM numbers(100) ORDER BY number DESC LIMIT 5, 2) ORDER BY number LIMIT 9, 3;
