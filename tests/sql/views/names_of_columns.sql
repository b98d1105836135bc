-- Names without types are those of the query's columns.
CREATE VIEW v (x, y) AS SELECT 1, 2;
SELECT * FROM v FORMAT TSVWithNames;
DESCRIBE TABLE v;
CREATE VIEW w (x, y) AS SELECT number AS a, toString(number) AS b FROM numbers(3) WHERE number > 0;
SELECT x + 1, y FROM w ORDER BY x;
CREATE VIEW `one column` (`the name`) AS SELECT 5;
SELECT * FROM `one column` FORMAT TSVWithNames;
-- error: BAD_ARGUMENTS
CREATE VIEW u (x) AS SELECT 1, 2;
-- error: BAD_ARGUMENTS
CREATE VIEW u (x, y, z) AS SELECT 1, 2;
-- error: SYNTAX_ERROR
CREATE VIEW u (x UInt8, y) AS SELECT 1, 2;
DROP VIEW v;
DROP VIEW w;
DROP VIEW `one column`;
-- A view of the session's own.
CREATE TEMPORARY VIEW tv AS SELECT 1 AS a;
SELECT * FROM tv;
CREATE TEMPORARY VIEW IF NOT EXISTS tv AS SELECT 2 AS a;
SELECT * FROM tv;
DROP VIEW tv;
-- error: UNKNOWN_TABLE
SELECT * FROM tv;
