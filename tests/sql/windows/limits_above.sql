-- A window counts the rows of its input, be there a LIMIT above it in the order that the rows come in.
SELECT number, count() OVER () AS all_rows FROM numbers(10000000) ORDER BY number LIMIT 3;
SELECT * FROM (SELECT number, max(number) OVER () AS greatest FROM numbers(10000000)) ORDER BY number LIMIT 2 OFFSET 1;
-- As little does the LIMIT reach below another one.
SELECT number FROM (SELECT number FROM numbers(10000000) ORDER BY number LIMIT 100 OFFSET 5000000) ORDER BY number LIMIT 2;
SELECT count() FROM (SELECT number FROM (SELECT * FROM numbers(10000000) LIMIT 100 OFFSET 5000000) ORDER BY number LIMIT 2);
-- Nor is a sort moved below an OFFSET.
SELECT * FROM (SELECT number AS k, -k AS v FROM numbers(1000) ORDER BY k OFFSET 100) ORDER BY v LIMIT 2;
SELECT *, count() OVER () FROM (SELECT number AS k, k % 7 AS v FROM numbers(1000) ORDER BY k OFFSET 990) ORDER BY v DESC, k LIMIT 2;
