-- A window counts the rows of its input, be there a LIMIT above it in the order that the rows come in.
SELECT number, count() OVER () AS all_rows FROM numbers(10000000) ORDER BY number LIMIT 3;
SELECT * FROM (SELECT number, max(number) OVER () AS greatest FROM numbers(10000000)) ORDER BY number LIMIT 2 OFFSET 1;
-- As little does the LIMIT reach below another one.
SELECT number FROM (SELECT number FROM numbers(10000000) ORDER BY number LIMIT 100 OFFSET 5000000) ORDER BY number LIMIT 2;
SELECT count() FROM (SELECT number FROM (SELECT * FROM numbers(10000000) LIMIT 100 OFFSET 5000000) ORDER BY number LIMIT 2);
