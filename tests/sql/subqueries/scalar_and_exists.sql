SELECT (SELECT 1), (SELECT max(number) FROM numbers(5)) + 1;
SELECT number FROM numbers(5) WHERE number = (SELECT max(number) FROM numbers(3));
SELECT (SELECT number FROM numbers(0)), toTypeName((SELECT 1 WHERE 0));
SELECT (SELECT 1, 'a') AS t, t.1;
-- error: INCORRECT_RESULT_OF_SCALAR_SUBQUERY
SELECT (SELECT number FROM numbers(2));
SELECT EXISTS(SELECT 1), EXISTS(SELECT 1 WHERE 0), NOT EXISTS(SELECT 1 WHERE 0);
SELECT count() FROM numbers(3) WHERE EXISTS (SELECT 1);
SELECT a FROM (SELECT number AS a FROM numbers(3)) WHERE a > (SELECT avg(number) FROM numbers(3)) ORDER BY a;
SELECT x, y FROM (SELECT number AS x, x * x AS y FROM (SELECT number FROM numbers(4))) ORDER BY x DESC LIMIT 2;
SELECT number FROM numbers(5) WHERE number > ANY (SELECT number FROM numbers(2, 2)) ORDER BY number;
SELECT number FROM numbers(5) WHERE number >= ALL (SELECT number FROM numbers(3)) ORDER BY number;
SELECT s.k, s.v FROM (SELECT number AS k, toString(number) AS v FROM numbers(2)) AS s ORDER BY s.k;
SELECT (SELECT groupArray(number) FROM numbers(3)) AS a, length(a), has(a, 2);
SELECT number FROM (SELECT number FROM numbers(10) ORDER BY number DESC LIMIT 3) ORDER BY number;
SELECT toTypeName((SELECT toUInt8(1))), toTypeName((SELECT count() FROM numbers(1)));
