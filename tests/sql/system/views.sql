CREATE TABLE t (a UInt8) ENGINE = Memory;
INSERT INTO t VALUES (1), (2), (3);
CREATE VIEW v AS SELECT a * 10 AS b FROM t WHERE a > 1;
SELECT * FROM v ORDER BY b;
SELECT sum(b) FROM v;
DROP VIEW v;
-- error: UNKNOWN_TABLE
SELECT * FROM v;
CREATE VIEW w (b UInt16, c String) AS SELECT toString(a) AS c, a + 1 AS b FROM t;
SELECT *, toTypeName(b) FROM w ORDER BY b;
SELECT c FROM w WHERE b > 2 ORDER BY c;
CREATE VIEW IF NOT EXISTS w AS SELECT 1;
-- error: TABLE_ALREADY_EXISTS
CREATE VIEW w AS SELECT 1;
CREATE VIEW x AS SELECT w.b, t.a FROM w JOIN t ON w.b = t.a;
SELECT * FROM x ORDER BY a;
CREATE OR REPLACE VIEW w AS WITH 5 AS five SELECT five AS b, a IN (SELECT max(a) FROM t) AS top FROM t;
SELECT * FROM w ORDER BY top;
SELECT engine FROM system.tables WHERE database = currentDatabase() AND name = 'w';
SELECT name, type FROM system.columns WHERE database = currentDatabase() AND table = 'w' ORDER BY position;
-- error: NOT_IMPLEMENTED
INSERT INTO w VALUES (1, 2);
-- error: INCORRECT_QUERY
DROP VIEW t;
-- error: UNKNOWN_TABLE
CREATE VIEW y AS SELECT * FROM no_such_table;
RENAME TABLE w TO z;
SELECT count() FROM z;
DROP TABLE z;
DROP VIEW IF EXISTS z;
