-- Columns of one name in several subqueries without names.
SELECT * FROM (SELECT 1 AS a), (SELECT 2 AS a), (SELECT 3 AS a) SETTINGS joined_subquery_requires_alias = 0;
-- A table's own name before a star, though it has an alias.
CREATE TABLE words (id UInt8, s String) ENGINE = Memory;
INSERT INTO words VALUES (1, 'a');
SELECT words.*, w.id FROM words AS w;
-- grouping in GROUP BY ALL is no key.
SELECT number, sum(number), grouping(number) AS level FROM numbers(2) GROUP BY ALL WITH ROLLUP ORDER BY level, number;
-- Arguments of a table function by a subquery that is a value.
WITH (SELECT 3) AS rows SELECT *, rows FROM numbers(toUInt64(assumeNotNull(rows)));
-- The settings limit and offset of a subquery.
SELECT count() FROM (SELECT * FROM numbers(10) SETTINGS limit = 5), (SELECT * FROM numbers(10) SETTINGS limit = 3, offset = 8) SETTINGS joined_subquery_requires_alias = 0;
-- A set of NULL alone.
SELECT 'a' IN (SELECT NULL), 1 NOT IN (SELECT NULL), toDate('2024-01-01') IN (SELECT NULL);
-- Blanks of documents.
SELECT 1 AS a, 2 +​3;
