-- Subqueries of the row around, lists that begin with a subquery, USING, gaps that are filled, and names of columns by their place.
CREATE TABLE people (id UInt32, name LowCardinality(String), town Nullable(String), v Float64) ENGINE = MergeTree ORDER BY id;
INSERT INTO people VALUES (1, 'ann', 'x', 1.5), (2, 'bob', NULL, 2.5), (3, 'cid', 'y', 3.5);
CREATE TABLE sales (oid UInt64, id UInt32, uid Nullable(UInt32), amount Decimal(10, 2), at DateTime('UTC'), note String, w Int32)
ENGINE = MergeTree ORDER BY oid;
INSERT INTO sales VALUES (10, 1, 1, 5.5, '2024-01-01 10:00:00', 'a', 100), (11, 2, 2, 1, '2024-01-02 11:00:00', 'b', 200),
(12, 7, NULL, 9, '2024-01-05 00:00:00', 'c', 300);

-- What the row around has nothing for is NULL, whatever the aggregate.
SELECT id, (SELECT sum(amount) FROM sales WHERE sales.uid = people.id) AS total FROM people ORDER BY id;
SELECT id, (SELECT max(at) FROM sales WHERE sales.id = people.id) AS last FROM people ORDER BY id;
SELECT id, (SELECT max(note) FROM sales WHERE sales.uid = people.id) AS note FROM people ORDER BY id;
SELECT id, (SELECT max(note) FROM sales WHERE toUInt64(sales.id) = people.id) AS note FROM people ORDER BY id;
SELECT id, (SELECT uniq(note) FROM sales WHERE sales.id = people.id) AS notes FROM people ORDER BY id;
SELECT id, (SELECT argMax(note, w) FROM sales WHERE sales.id > people.id) AS note FROM people ORDER BY id;
SELECT id, (SELECT groupArray(w) FROM sales WHERE sales.oid - 9 = people.id AND w < 300) AS all_w FROM people ORDER BY id;
SELECT id FROM people WHERE v < (SELECT max(amount) FROM sales WHERE sales.id = people.id) ORDER BY id;
SELECT id FROM people WHERE (SELECT max(amount) FROM sales WHERE sales.id = people.id) IS NULL ORDER BY id;

-- One that does not aggregate gives what it finds.
SELECT id, (SELECT note FROM sales WHERE sales.id = people.id) AS note FROM people ORDER BY id;
SELECT oid, (SELECT name FROM people WHERE people.id = sales.uid) AS name FROM sales ORDER BY oid;
SELECT oid, (SELECT town FROM people WHERE people.id = sales.id) AS town FROM sales ORDER BY oid;
SELECT oid, (SELECT (name, v) FROM people WHERE people.id = sales.id) AS person FROM sales ORDER BY oid;
SELECT id, (SELECT concat(note, '-', people.name) FROM sales WHERE sales.id = people.id) AS note FROM people ORDER BY id;
SELECT oid FROM sales WHERE note = (SELECT substring(name, 1, 1) FROM people WHERE people.id = sales.id) ORDER BY oid;
SELECT oid, toTypeName((SELECT name FROM people WHERE people.id = sales.id)) AS kind FROM sales ORDER BY oid;

-- A subquery within a lambda has one value.
SELECT arrayMap(x -> x + (SELECT max(w) FROM sales), [1, 2]);
SELECT id, arrayMap(x -> x * (SELECT count() FROM sales), [id]) AS times FROM people ORDER BY id;
WITH (SELECT max(w) FROM sales) AS top SELECT arrayMap(x -> x + top, [1, 2]), arrayFilter(x -> x < top, [1, 1000]);
SELECT arrayMap(x -> arrayMap(y -> x + y + (SELECT min(w) FROM sales), [1, 2]), [10, 20]);

-- Lists with subqueries in them.
SELECT id FROM people WHERE id IN ((SELECT 1), 2) ORDER BY id;
SELECT id FROM people WHERE id NOT IN ((SELECT min(id) FROM people), (SELECT max(id) FROM people)) ORDER BY id;
SELECT id, id IN ((SELECT max(id) FROM people), 1) AS is_in FROM people ORDER BY id;
SELECT id FROM people WHERE id IN ((SELECT id FROM sales)) ORDER BY id;

-- The number of a field behind a call of tuple.
SELECT tuple(id, name).1, tuple(id, name).2 FROM people ORDER BY id;
SELECT tuple(1, 'a').2, tuple(1, tuple(2, 3)).2.1;

-- Columns of USING come first, in their order there.
SELECT * FROM (SELECT 1 AS a, 2 AS b, 3 AS c) AS l JOIN (SELECT 2 AS b, 4 AS d) AS r USING (b) FORMAT TSVWithNames;
SELECT * FROM (SELECT 1 AS a, 2 AS b, 3 AS c) AS l JOIN (SELECT 1 AS a, 2 AS b, 4 AS d) AS r USING (b, a) FORMAT TSVWithNames;
SELECT * FROM (SELECT 1 AS a, 2 AS b) AS l LEFT JOIN (SELECT 5 AS b, 4 AS d) AS r USING (b) FORMAT TSVWithNames;
SELECT * FROM (SELECT 1 AS a, 2 AS b) AS l FULL JOIN (SELECT 5 AS b, 4 AS d) AS r USING (b) ORDER BY b FORMAT TSVWithNames;
SELECT l.*, r.* FROM (SELECT 1 AS a, 2 AS b) AS l JOIN (SELECT 2 AS b, 4 AS d) AS r USING (b) FORMAT TSVWithNames;

-- ANY takes one of the rows for which the conditions hold.
SELECT p.id, s.id FROM people AS p ANY LEFT JOIN sales AS s ON p.id = s.id AND s.w > 100 ORDER BY p.id;
SELECT p.id, s.id FROM people AS p ANY LEFT JOIN sales AS s ON p.id = s.id AND p.v > 2 ORDER BY p.id;
SELECT p.id, s.id FROM people AS p ANY INNER JOIN sales AS s ON p.id = s.id AND p.v > 2 ORDER BY p.id;
SELECT p.id, s.id FROM people AS p ANY INNER JOIN sales AS s ON p.id = s.id AND s.w < 200 ORDER BY p.id;

-- Gaps.
SELECT n, v FROM (SELECT 3 AS n, 7 AS v UNION ALL SELECT 1, 5) ORDER BY n WITH FILL, v;
SELECT n, v FROM (SELECT 3 AS n, 7 AS v UNION ALL SELECT 1, 5) ORDER BY n, v WITH FILL FROM 4 TO 6;
SELECT n, v FROM (SELECT 3 AS n, 7 AS v UNION ALL SELECT 1, 5) ORDER BY n WITH FILL, v WITH FILL FROM 4 TO 6;
SELECT number * 5 AS n FROM numbers(3) ORDER BY n DESC WITH FILL STALENESS -2;
SELECT number * 5 + 1 AS n FROM numbers(3) ORDER BY n DESC WITH FILL STALENESS -3;
SELECT toUInt8(number * 5) AS n FROM numbers(3) ORDER BY n DESC WITH FILL STEP -2 STALENESS -4;
SELECT toDate('1970-01-03') AS n ORDER BY n DESC WITH FILL STALENESS -4;

-- Numbers that are no places.
SELECT name, id FROM people ORDER BY 2 DESC;
SELECT id FROM people ORDER BY 2, id DESC SETTINGS enable_positional_arguments = 0;
-- error: NOT_AN_AGGREGATE
SELECT id, count() FROM people GROUP BY 1 SETTINGS enable_positional_arguments = 0;

-- error: WITH_TIES_WITHOUT_ORDER_BY
SELECT id FROM people LIMIT 1 WITH TIES;

-- error: SYNTAX_ERROR
SELECT * FROM people JOIN sales;
