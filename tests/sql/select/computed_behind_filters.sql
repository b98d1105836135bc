CREATE TABLE u (id UInt32, n Nullable(String), s String, a Int64) ENGINE = Memory;
INSERT INTO u VALUES (0, 'x', 'b', 5), (1, NULL, 'c', 6);
-- a column that cannot be computed for a row that is left out
SELECT id, concat(s, CAST(n AS String)) AS c FROM u WHERE id = 0;
WITH c AS (SELECT id, concat(s, CAST(n AS LowCardinality(String))) AS t FROM u WHERE id IN (SELECT -1 FROM u)) SELECT * FROM c ORDER BY ALL;
SELECT id, intDiv(10, id) AS q FROM (SELECT * FROM u) WHERE id > 0 ORDER BY id;
-- branches of which one is known to have no NULL
SELECT * FROM (SELECT a AS v FROM u UNION DISTINCT SELECT if(1 = 0, n = 'x', id) AS v FROM u) ORDER BY ALL;
SELECT * FROM (SELECT nullIf(id, toUInt8OrNull('x')) AS v FROM u UNION DISTINCT SELECT a AS v FROM u) ORDER BY ALL;
-- functions of constants that are computed row by row are keys of ROLLUP
SELECT transform(2, [1, 2, 3], [10, 20, 30], 0) AS g, count() FROM u GROUP BY g WITH ROLLUP ORDER BY ALL;
SELECT concatWithSeparator('-', 'a', 'b') AS g, count() FROM u GROUP BY g WITH ROLLUP ORDER BY ALL;
SELECT plus(1, 2) AS g, count() FROM u GROUP BY g WITH ROLLUP ORDER BY ALL;
-- groups of a text
SELECT replaceAll(s, 'b', n) AS g, sumOrNull(length(s)) AS l, avg(a) FROM u GROUP BY g HAVING count() > 0 ORDER BY ALL FORMAT TSVWithNamesAndTypes;
SELECT toString(number % 1000) AS g, count() AS c, sum(number) AS s FROM numbers_mt(100000) GROUP BY g HAVING s > 5045000 ORDER BY g LIMIT 5;
SELECT nullIf(toString(number % 3), '1') AS g, count(), uniqExact(number % 7) FROM numbers_mt(100000) GROUP BY g ORDER BY g;
-- the two zeros
SELECT uniq(x), uniqExact(x), uniqHLL12(x), uniqCombined(x) FROM values('x Float64', -0., 0., 12);
