-- What splits a text keeps the rest in the last part, where the setting says so.
SET splitby_max_substrings_includes_remaining_string = 1;
SELECT splitByChar(',', 'a,b,c,d', 0), splitByChar(',', 'a,b,c,d', 1), splitByChar(',', 'a,b,c,d', 3), splitByChar(',', 'a,b,c,d', 4), splitByChar(',', 'a,b,c,d', 5), splitByChar(',', 'a,b,c,d', -1), splitByChar(',', ',,', 2), splitByChar(',', '', 1), splitByChar(',', 'a,', 2), splitByChar(',', 'a,b');
SELECT splitByString('ab', 'xabyabz', 1), splitByString('ab', 'xabyabz', 2), splitByString('ab', 'xabyabz', 3), splitByString('', 'xyz', 1), splitByString('', 'xyz', 2), splitByString('', 'xyz', 3), splitByString('', 'xyz', 4), splitByString('', '', 1), splitByString('ab', '', 1);
SELECT splitByRegexp('\\d+', 'a12bc23de345f', 1), splitByRegexp('\\d+', 'a12bc23de345f', 3), splitByRegexp('\\d+', 'a12bc23de345f', 9), splitByRegexp('', 'xyz', 2), splitByRegexp('', 'xyz', 3), splitByRegexp('x*', 'axb', 2);
SELECT splitByWhitespace('  a  b c  ', 1), splitByWhitespace('  a  b c  ', 2), splitByWhitespace('  a  b c  ', 3), splitByWhitespace('  a  b c  ', 4), splitByWhitespace('   ', 1), splitByWhitespace('a   ', 1), splitByWhitespace('a   ', 2);
SELECT splitByNonAlpha(',a, b.c ,', 1), splitByNonAlpha(',a, b.c ,', 2), splitByNonAlpha(',a, b.c ,', 3), splitByNonAlpha('a,', 1), splitByNonAlpha('a,', 2), splitByNonAlpha(',,', 1);
SELECT alphaTokens('1a2b3cd4', 1), alphaTokens('1a2b3cd4', 2), alphaTokens('1a2b3cd4', 3), alphaTokens('1a2b3cd4', 4), alphaTokens('a1', 1), alphaTokens('11', 1), splitByAlpha('1a2b', 1);
SELECT splitByChar(',', concat('a,b,c,', toString(number)), 2) FROM numbers(2);
SELECT splitByChar(',', 'a,b,c,d', 2), alphaTokens('1a2b3cd4', 2) SETTINGS splitby_max_substrings_includes_remaining_string = 0;
SET splitby_max_substrings_includes_remaining_string = 0;
SELECT splitByRegexp('x*', 'axb'), splitByRegexp('^a', 'aab'), splitByRegexp('\\b', 'a b'), splitByRegexp('x*', 'xxaxb'), splitByRegexp('\\bb', 'abb'), splitByRegexp('\\d', 'a1b2', 2), splitByRegexp('\\d', 'a1');
-- Keys that are constants are keys.
SELECT grouping('a'), count() FROM numbers(3) GROUP BY 'a';
SELECT 'a' AS k, grouping(k), count() FROM numbers(3) GROUP BY k;
SELECT 'a' AS k, grouping(k), count() FROM numbers(3) GROUP BY number, k ORDER BY ALL;
SELECT grouping(number, 'a') FROM numbers(2) GROUP BY number, 'a' ORDER BY ALL;
SELECT 'a' AS k, number, grouping(k), grouping(number), grouping(number, k), count() FROM numbers(2) GROUP BY number, k WITH ROLLUP ORDER BY ALL;
SELECT 'a' AS k, grouping(k), grouping(number), count() FROM numbers(2) GROUP BY GROUPING SETS ((number), (k)) ORDER BY ALL;
SELECT 'a' AS k, 'b' AS l, grouping(k), grouping(l), grouping(l, k) AS g, count() FROM numbers(2) GROUP BY CUBE(k, l) ORDER BY g;
-- error: BAD_ARGUMENTS
SELECT grouping('a') FROM numbers(3) GROUP BY 'b';
-- Ratios of mortonDecode.
SELECT mortonDecode(tuple(2), 21), mortonDecode(tuple(1), 21), mortonDecode((1, 1), 21), mortonDecode((1, 2), 65536), mortonDecode(2, 9);
SELECT mortonDecode(tuple(2), number), mortonDecode((1, 2, 1), number * 977) FROM numbers(10);
SELECT mortonDecode((8, 1), 18446744073709551615), mortonDecode((1, 2), 18446744073709551615), mortonDecode(tuple(8), 18446744073709551615);
-- error: ARGUMENT_OUT_OF_BOUND
SELECT mortonDecode(tuple(9), 21);
-- error: ARGUMENT_OUT_OF_BOUND
SELECT mortonDecode(tuple(0), 21);
-- error: ARGUMENT_OUT_OF_BOUND
SELECT mortonDecode(9, 21);
-- error: ARGUMENT_OUT_OF_BOUND
SELECT mortonDecode((1, 1, 1, 1, 1, 1, 1, 1, 1), 21);
-- error: ILLEGAL_COLUMN
SELECT mortonDecode(tuple(number), 21) FROM numbers(2);
-- error: ILLEGAL_TYPE_OF_ARGUMENT
SELECT mortonDecode(tuple('a'), 21);
-- error: ILLEGAL_COLUMN
SELECT mortonDecode(tuple(2), 'a');
-- Means of times of day.
SELECT avg2(toTime64('10:00:00.5', 1), toTime64('12:00:00.4', 1)) AS x, toTypeName(x), avg2(toTime('10:00:00'), toTime('12:00:01')) AS y, toTypeName(y);
SELECT midpoint(toTime64('10:00:00.5', 1), toTime64('12:00:00.43', 2), toTime64('-01:00:00.43', 3)) AS x, toTypeName(x);
SELECT midpoint(toTime64('10:00:00.5', 1), NULL, toTime64('12:00:00', 1)) AS x, toTypeName(x), midpoint(toTime('10:00:00'), toTime64('12:00:00.5', 1)) AS y, toTypeName(y), midpoint(toTime('-10:00:01'), toTime('-10:00:02')) AS z;
-- error: NO_COMMON_TYPE
SELECT avg2(toTime('10:00:00'), 5);
-- EXISTS asks for temporary tables by a word.
CREATE TEMPORARY TABLE tt (a Int32);
EXISTS tt;
EXISTS TABLE tt;
EXISTS TEMPORARY TABLE tt;
CREATE TABLE tp (a Int32) ENGINE = MergeTree ORDER BY a;
EXISTS TEMPORARY TABLE tp;
EXISTS tp;
-- A table may be exchanged with itself.
INSERT INTO tp VALUES (3);
EXCHANGE TABLES tp AND tp;
SELECT * FROM tp;
-- error: UNKNOWN_TABLE
EXCHANGE TABLES nosuch AND nosuch;
-- Names of WITH that do not reach into subqueries.
CREATE TABLE w (a Int32) ENGINE = MergeTree ORDER BY a;
INSERT INTO w VALUES (7);
SET enable_global_with_statement = 0;
WITH 1 AS x SELECT x, arrayMap(y -> y + x, [1]);
-- error: UNKNOWN_IDENTIFIER
WITH 1 AS x SELECT (SELECT x);
-- error: UNKNOWN_IDENTIFIER
WITH 1 AS x SELECT * FROM (SELECT x);
-- error: UNKNOWN_IDENTIFIER
WITH 1 AS x SELECT x UNION ALL SELECT x;
-- error: UNKNOWN_IDENTIFIER
WITH 1 AS x SELECT 1 FROM numbers(2) WHERE number IN (SELECT x);
WITH t AS (SELECT 1 AS a) SELECT * FROM t;
WITH t AS (SELECT 1 AS a) SELECT * FROM t AS q JOIN t AS r USING a;
-- error: UNKNOWN_TABLE
WITH t AS (SELECT 1 AS a) SELECT * FROM (SELECT * FROM t);
-- error: UNKNOWN_TABLE
WITH t AS (SELECT 1 AS a) SELECT (SELECT a FROM t);
-- error: UNKNOWN_TABLE
WITH t AS (SELECT 1 AS a) SELECT 1 IN (SELECT a FROM t);
-- error: UNKNOWN_TABLE
WITH t AS (SELECT 1 AS a) SELECT a FROM t UNION ALL SELECT a FROM t;
-- error: UNKNOWN_TABLE
WITH t AS (SELECT 1 AS a), u AS (SELECT a + 1 AS b FROM t) SELECT * FROM u;
-- error: UNKNOWN_IDENTIFIER
WITH 5 AS x, u AS (SELECT x + 1 AS b) SELECT * FROM u;
WITH w AS (SELECT 1 AS a) SELECT w.a, z.a FROM w, (SELECT a FROM w) AS z;
-- error: UNKNOWN_IDENTIFIER
SELECT 1 AS y, (SELECT y);
-- error: UNKNOWN_IDENTIFIER
SELECT 1 AS y, z FROM (SELECT y AS z);
-- error: UNKNOWN_FUNCTION
WITH x -> x + 1 AS f SELECT (SELECT f(1));
WITH x -> x + 1 AS f SELECT f(1);
SELECT number, (SELECT number + 1) FROM numbers(2) ORDER BY number;
WITH RECURSIVE r AS (SELECT 1 AS n UNION ALL SELECT n + 1 FROM r WHERE n < 3) SELECT * FROM r ORDER BY n;
-- error: UNKNOWN_TABLE
WITH RECURSIVE r AS (SELECT 1 AS n UNION ALL SELECT n + 1 FROM r WHERE n < 3) SELECT * FROM (SELECT * FROM r);
SELECT a FROM (WITH 1 AS x SELECT x AS a);
SET enable_global_with_statement = 1;
WITH 1 AS x, t AS (SELECT 2 AS a) SELECT x, (SELECT x), (SELECT a FROM t);
-- Types of coalesce beside LowCardinality.
CREATE TABLE lc (n Nullable(String), l LowCardinality(String), ln LowCardinality(Nullable(String)), s String) ENGINE = MergeTree ORDER BY s;
INSERT INTO lc VALUES ('a', 'b', 'c', 'd'), (NULL, 'b', NULL, 'e');
SELECT coalesce(ln, l) AS x, toTypeName(x), coalesce(ln, 'x') AS y, toTypeName(y), coalesce(l, s) AS z, toTypeName(z) FROM lc ORDER BY s;
SELECT ifNull(ln, l) AS x, toTypeName(x), ifNull(ln, 'x') AS y, toTypeName(y), ifNull(n, l) AS z, toTypeName(z) FROM lc ORDER BY s;
SELECT coalesce(ln) AS x, toTypeName(x), coalesce(l) AS y, toTypeName(y), coalesce(ln, NULL) AS z, toTypeName(z), coalesce(NULL, l) AS u, toTypeName(u) FROM lc ORDER BY s;
SELECT coalesce(CAST(NULL AS Nullable(String)), toLowCardinality('a')) AS x, toTypeName(x);
-- Words that begin clauses, before a period.
CREATE TABLE by (v Int32) ENGINE = MergeTree ORDER BY v;
INSERT INTO `by` VALUES (1), (2);
SELECT by.v FROM by AS by WHERE by.v = 2;
SELECT by.* FROM by AS by ORDER BY by.v LIMIT 1 BY by.v;
SELECT where.v, having.v + 1 FROM by AS where JOIN by AS having ON where.v = having.v ORDER BY where.v;
SELECT where.v, having.v + 1 FROM (SELECT 1 AS v) AS where, (SELECT 1 AS v) AS having WHERE where.v = having.v;
SELECT with.v FROM by AS with ORDER BY with.v;
