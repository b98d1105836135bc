-- WITH of a value where EXPLAIN has a kind and options; other statements have a WITH of their own.
EXPLAIN SYNTAX oneline = 1 WITH 2 AS x SELECT x, 'a' FROM numbers(3);
SELECT explain FROM (EXPLAIN SYNTAX oneline = 1 WITH 2 AS x, 3 AS y SELECT x, y FROM numbers(3));
SELECT count() > 0 FROM (EXPLAIN WITH 2 AS x SELECT x);
SELECT count() > 0 FROM (EXPLAIN PIPELINE WITH 2 AS x, y AS (SELECT 1 AS z) SELECT x, z FROM y);
SELECT count() > 0 FROM (EXPLAIN AST WITH 2 AS x SELECT x, count() GROUP BY x WITH TOTALS);
