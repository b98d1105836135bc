-- A constant without a sign takes one beside numbers that have one, where it fits: in arrays, maps and UNION as well.
CREATE TABLE numbers_of_all (i Int64, u UInt64, n Nullable(Int32)) ENGINE = Memory;
INSERT INTO numbers_of_all VALUES (3, 2, 1), (-3, 18446744073709551615, NULL);
SELECT [i, 5000000000] AS a, arrayPushBack([i], 5000000000) AS b, arrayPushFront([i], 5000000000) AS c, arrayPushBack([5000000000], i) AS d FROM numbers_of_all ORDER BY i FORMAT TSVWithNamesAndTypes;
SELECT arrayPushBack([-1], 5000000000) AS a, arrayPushBack([5000000000], -1) AS b, arrayConcat([5000000000], [-1]) AS c, arrayResize([5000000000], 3, -1) AS d FORMAT TSVWithNamesAndTypes;
SELECT arrayConcat([5000000000], [i]) AS a, arrayResize([i], 2, 5000000000) AS b, map('a', 5000000000, 'b', i) AS c FROM numbers_of_all ORDER BY i FORMAT TSVWithNamesAndTypes;
SELECT transform(i, [3], [5000000000], -1) AS a, transform(i, [3], [5000000000], i) AS b FROM numbers_of_all ORDER BY i FORMAT TSVWithNamesAndTypes;
SELECT if(i > 0, [5000000000], [-1]) AS a, if(i > 0, [5000000000], [i]) AS b FROM numbers_of_all ORDER BY i FORMAT TSVWithNamesAndTypes;
SELECT v FROM (SELECT i AS v FROM numbers_of_all UNION ALL SELECT 5000000000 AS v) ORDER BY ALL FORMAT TSVWithNamesAndTypes;
SELECT v FROM (SELECT 5000000000 AS v UNION DISTINCT SELECT -1 AS v) ORDER BY ALL FORMAT TSVWithNamesAndTypes;
SELECT v FROM (SELECT [1, 2, 3] AS v INTERSECT SELECT arrayReverse(arrayPushBack([-1], 5000000000)) AS v) ORDER BY ALL FORMAT TSVWithNamesAndTypes;
SELECT v FROM (SELECT [i] AS v FROM numbers_of_all UNION ALL SELECT [5000000000] AS v) ORDER BY ALL FORMAT TSVWithNamesAndTypes;
SELECT v FROM (SELECT v FROM (SELECT 5000000000 AS v) UNION ALL SELECT n FROM numbers_of_all) ORDER BY ALL FORMAT TSVWithNamesAndTypes;
SELECT v FROM (SELECT i AS v FROM numbers_of_all EXCEPT SELECT 5000000000) ORDER BY ALL FORMAT TSVWithNamesAndTypes;
-- Of two numbers the greater has no sign where one has none, and the lesser has one.
SELECT greatest(i, u) AS a, least(i, u) AS b, greatest(u, i) AS c, least(u, i) AS d FROM numbers_of_all ORDER BY i FORMAT TSVWithNamesAndTypes;
SELECT greatest(i, 5000000000) AS a, least(i, 5000000000) AS b, greatest(n, 5000000000) AS c, greatest(u * i, 5000000000) AS d FROM numbers_of_all ORDER BY i FORMAT TSVWithNamesAndTypes;
SELECT greatest(toInt32(i), 5000000000) AS a, least(toInt8(i), u) AS b FROM numbers_of_all ORDER BY i FORMAT TSVWithNamesAndTypes;
