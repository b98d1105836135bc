CREATE TABLE t (a UInt8) ENGINE = Memory;
INSERT INTO t VALUES (1), (2), (3);
-- gap: CREATE VIEW. (NOT_IMPLEMENTED)
CREATE VIEW v AS SELECT a * 10 AS b FROM t WHERE a > 1;
-- gap: Table default.v does not exist. Maybe you meant default.t? (UNKNOWN_TABLE)
SELECT * FROM v ORDER BY b;
-- gap: Table default.v does not exist. Maybe you meant default.t? (UNKNOWN_TABLE)
SELECT sum(b) FROM v;
-- gap: Table default.v does not exist. Maybe you meant default.t? (UNKNOWN_TABLE)
DROP VIEW v;
-- error: UNKNOWN_TABLE
SELECT * FROM v;
