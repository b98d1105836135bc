-- Words that begin clauses, as names of tables and as their aliases.
CREATE TABLE by (v Int32) ENGINE = MergeTree ORDER BY ();
INSERT INTO `by` VALUES (1), (2);
CREATE TABLE where (v Int32) ENGINE = MergeTree ORDER BY ();
INSERT INTO `where` VALUES (1);
SELECT v FROM by AS by WHERE v = 1;
SELECT v FROM by AS BY ORDER BY v DESC;
SELECT v FROM where AS where WHERE v = 1 AND v < 5;
SELECT v FROM where AS with WHERE v = 1;
SELECT count() FROM by AS having GROUP BY v HAVING v > 1;
SELECT a.v FROM by AS a JOIN where AS b ON a.v = b.v;
SELECT v FROM (SELECT v FROM by AS where WHERE v = 2);
INSERT INTO where SELECT v + 10 FROM by AS by WHERE v = 1;
SELECT v FROM where AS where WHERE v > 1;
SELECT 1 AS v WHERE v = 1 GROUP BY v HAVING v = 1;
WITH 1 AS one SELECT one, count() FROM by AS t WHERE v = one;
DROP TABLE by;
DROP TABLE where;
