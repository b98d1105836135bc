-- GROUP BY ALL of parts of expressions, positions from the end, HAVING and WITH TOTALS by themselves.
CREATE TABLE t (id UInt32, g String, d Date, v Nullable(Float64), tp Tuple(a UInt8, b String)) ENGINE = MergeTree ORDER BY id;
INSERT INTO t SELECT number, ['a','b','c'][number % 3 + 1], toDate('2024-01-01') + number, if(number % 5 = 0, NULL, number / 7), (number, toString(number)) FROM numbers(30);
SELECT g, length(g) + count() FROM t GROUP BY ALL ORDER BY ALL;
SELECT id % 2 + count() FROM t GROUP BY ALL ORDER BY ALL;
SELECT if(id % 2 = 0, 'even', 'odd') AS p, p || toString(count()) FROM t GROUP BY ALL ORDER BY ALL;
SELECT g, count(), sum(count()) OVER (ORDER BY g) FROM t GROUP BY ALL ORDER BY ALL;
SELECT g, row_number() OVER (ORDER BY g) FROM t GROUP BY ALL ORDER BY ALL;
SELECT count() FROM (SELECT 1 FROM t GROUP BY ALL);
SELECT count() FROM t GROUP BY ALL;
SELECT 1, count() FROM t GROUP BY ALL;
SELECT count() FROM t WITH TOTALS;
SELECT sum(id), 1 FROM t WITH TOTALS;
SELECT count() FROM t WHERE id > 100 WITH TOTALS;
-- error: NOT_IMPLEMENTED
SELECT 1 WITH TOTALS;
-- error: NOT_IMPLEMENTED
SELECT id FROM t WHERE id < 3 WITH TOTALS;
SELECT id FROM t HAVING id < 3 ORDER BY id;
SELECT id AS q FROM t HAVING q < 3 AND id > 0 ORDER BY id;
SELECT 1 FROM t HAVING 1 LIMIT 2;
SELECT count() FROM t HAVING count() > 1;
SELECT 1 AS c FROM t HAVING count() > 1;
SELECT g, id FROM t ORDER BY -1 DESC, 1 LIMIT 3;
SELECT g, id FROM t ORDER BY -2, -1 DESC LIMIT 3;
SELECT g, count() FROM t GROUP BY -2 ORDER BY ALL;
SELECT 2 AS x UNION ALL SELECT 1 ORDER BY -1;
-- error: BAD_ARGUMENTS
SELECT g, id FROM t ORDER BY -3;
-- error: BAD_ARGUMENTS
SELECT g, id FROM t ORDER BY 0;
SELECT v FROM t ORDER BY ALL NULLS FIRST LIMIT 8;
SELECT v FROM t ORDER BY ALL DESC NULLS FIRST LIMIT 8;
SELECT v FROM t ORDER BY ALL DESC LIMIT 2;
