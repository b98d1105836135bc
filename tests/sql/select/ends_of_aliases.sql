-- An expression ends behind its alias, and text is no name.
SELECT number, z FROM numbers(3) WHERE (number AS z) > 1;
SELECT number FROM numbers(3) WHERE number > 1 AS z;
SELECT number FROM numbers(3) ORDER BY number AS z DESC, z + 1;
SELECT count() FROM numbers(3) GROUP BY number % 2 AS z HAVING count() > 0 AS h ORDER BY z;
SELECT 1 AS "a", 2 AS `b`;
-- error: SYNTAX_ERROR
SELECT number % 2 AS k, count() FROM numbers(10) GROUP BY k HAVING count() AS q > 1;
-- error: SYNTAX_ERROR
SELECT number FROM numbers(3) WHERE number AS z > 1;
-- error: SYNTAX_ERROR
SELECT number FROM numbers(3) WHERE number AS z AND z > 1;
-- error: SYNTAX_ERROR
SELECT number FROM numbers(3) WHERE 1 AND number AS z IN (1);
-- error: SYNTAX_ERROR
SELECT count() FROM numbers(3) GROUP BY number AS z % 2;
-- error: SYNTAX_ERROR
SELECT number FROM numbers(3) QUALIFY row_number() OVER () AS r > 1;
-- error: SYNTAX_ERROR
SELECT number FROM numbers(3) ORDER BY number AS z + 1 DESC;
-- error: SYNTAX_ERROR
SELECT 1 AS b, b '01';
-- error: SYNTAX_ERROR
SELECT 1 AS 'a';
-- error: SYNTAX_ERROR
SELECT number 'a' FROM numbers(1);
-- error: SYNTAX_ERROR
SELECT a.number FROM numbers(1) AS 'a';
SELECT nan, inf, nan + 1, [1.0, nan], (nan, 1), map('a', nan) FORMAT TSVWithNames;
