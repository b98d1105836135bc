-- In ON a name means what the SELECT gives it, before it means a column.
CREATE TABLE pairs (a UInt8, b UInt8) ENGINE = MergeTree ORDER BY a;
CREATE TABLE marks (c UInt8, d UInt8) ENGINE = MergeTree ORDER BY c;
INSERT INTO pairs VALUES (1, 2), (2, 3), (3, 1);
INSERT INTO marks VALUES (1, 3), (2, 1), (5, 5);
SELECT b AS a, d AS c FROM pairs JOIN marks ON a = c ORDER BY ALL;
SELECT b AS a, d FROM pairs LEFT JOIN marks ON a = c ORDER BY ALL;
SELECT a + 1 AS a, d FROM pairs JOIN marks ON a = c ORDER BY ALL;
SELECT a AS b, b AS a, d FROM pairs JOIN marks ON a = c ORDER BY ALL;
SELECT b AS a, d FROM pairs JOIN marks ON pairs.a = c ORDER BY ALL;
SELECT b AS a, d AS c FROM pairs JOIN marks ON a = c ORDER BY ALL SETTINGS prefer_column_name_to_alias = 1;
-- What other clauses give names to.
SELECT d FROM pairs JOIN marks ON key = c WHERE (b AS key) > 0 ORDER BY ALL;
SELECT d, count() FROM pairs JOIN marks ON key = c GROUP BY d, b + 0 AS key ORDER BY ALL;
SELECT d FROM pairs JOIN marks ON key = c ORDER BY b + 0 AS key;
-- error: ILLEGAL_AGGREGATION
SELECT count() AS a FROM pairs JOIN marks ON a = c;
-- Tables that are called as the words before JOIN.
SELECT left.a, right.d FROM pairs AS left FULL OUTER JOIN marks AS right ON left.a = right.c ORDER BY ALL;
SELECT left.a, right.d FROM pairs AS left JOIN marks AS right ON left.a = right.c ORDER BY ALL;
SELECT left.a FROM pairs AS left LEFT ANTI JOIN marks AS right ON left.a = right.c ORDER BY ALL;
