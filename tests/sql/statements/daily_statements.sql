-- Engines that keep rows as they come.
CREATE TABLE lo (a UInt8 CODEC(ZSTD), b String DEFAULT 'x', c UInt8 MATERIALIZED 3, d ALIAS a + 1) ENGINE = Log COMMENT 'hi';
INSERT INTO lo (a) VALUES (1), (2);
INSERT INTO lo (a) VALUES (0);
SELECT *, c, d FROM lo ORDER BY a;
ALTER TABLE lo COMMENT COLUMN a 'com';
ALTER TABLE lo MODIFY COMMENT 'other';
SHOW CREATE TABLE lo;
SELECT total_rows, has_own_data, engine_full FROM system.tables WHERE name = 'lo' AND database = currentDatabase();
-- error: NOT_IMPLEMENTED
ALTER TABLE lo DROP COLUMN b;
-- error: NOT_IMPLEMENTED
ALTER TABLE lo UPDATE b = 'y' WHERE 1;
-- error: BAD_ARGUMENTS
DELETE FROM lo WHERE 1;
-- error: NOT_IMPLEMENTED
OPTIMIZE TABLE lo;
-- error: ILLEGAL_FINAL
SELECT * FROM lo FINAL;
-- error: ILLEGAL_PREWHERE
SELECT * FROM lo PREWHERE a = 1;
-- error: BAD_ARGUMENTS
CREATE TABLE wrong (a UInt8) ENGINE = Log ORDER BY a;
-- error: NUMBER_OF_ARGUMENTS_DOESNT_MATCH
CREATE TABLE wrong (a UInt8) ENGINE = TinyLog(1);
-- error: BAD_ARGUMENTS
CREATE TABLE wrong (a UInt8, INDEX i a TYPE minmax) ENGINE = TinyLog;
-- error: BAD_ARGUMENTS
CREATE TABLE wrong (a UInt8) ENGINE = Log TTL now() + INTERVAL 1 DAY;

CREATE TABLE st (a UInt8, n Nested(x UInt8, y String), m Map(String, UInt8), lc LowCardinality(Nullable(String))) ENGINE = StripeLog;
INSERT INTO st VALUES (1, [1], ['x'], {'a': 1}, NULL), (2, [], [], {}, 'q');
SELECT *, m['a'] FROM st;
RENAME TABLE st TO st2;
DETACH TABLE st2;
ATTACH TABLE st2;
SELECT count(), countIf(lc IS NULL) FROM st2;
CREATE TABLE st3 AS st2;
INSERT INTO st3 SELECT * FROM st2;
SELECT a, lc FROM st3;
TRUNCATE TABLE st3;
SELECT count() FROM st3;
CREATE TABLE tl ENGINE = TinyLog AS SELECT number AS n FROM numbers(3);
SELECT * FROM tl;
SHOW CREATE TABLE tl;

-- A set to look values up in.
CREATE TABLE se (a UInt8, b String) ENGINE = Set;
INSERT INTO se VALUES (1, 'x'), (2, 'y');
SELECT (1, 'x') IN se, (2, 'x') IN (se), (2, 'x') NOT IN se;
TRUNCATE TABLE se;
SELECT (1, 'x') IN se;
-- error: NUMBER_OF_ARGUMENTS_DOESNT_MATCH
CREATE TABLE wrong (a UInt8) ENGINE = Set(1);

-- A buffer before another table.
CREATE TABLE be (a UInt8, b String) ENGINE = MergeTree ORDER BY a;
CREATE TABLE bu AS be ENGINE = Buffer(currentDatabase(), be, 16, 10, 100, 10000, 1000000, 10000000, 100000000);
INSERT INTO bu VALUES (1, 'x');
SELECT * FROM bu;
OPTIMIZE TABLE bu;
SELECT * FROM be;
-- error: NOT_IMPLEMENTED
TRUNCATE TABLE bu;
SELECT count() FROM be;
CREATE TABLE bu2 ENGINE = Buffer('', 'be', 1, 10, 100, 10000, 1000000, 10000000, 100000000);
DESCRIBE TABLE bu2;
-- error: NUMBER_OF_ARGUMENTS_DOESNT_MATCH
CREATE TABLE wrong (a UInt8) ENGINE = Buffer(currentDatabase(), be);
DROP TABLE bu;
DROP TABLE bu2;

-- Right sides of joins.
CREATE TABLE ja (k UInt32, v String, w Nullable(UInt8)) ENGINE = Join(ANY, LEFT, k);
SHOW CREATE TABLE ja;
INSERT INTO ja VALUES (1, 'a', 1), (1, 'b', 2), (2, 'c', NULL);
INSERT INTO ja VALUES (2, 'd', 4);
SELECT * FROM ja ORDER BY k;
SELECT * FROM (SELECT toUInt32(number) AS k FROM numbers(3)) AS l ANY LEFT JOIN ja USING (k) ORDER BY k;
CREATE TABLE jall (k UInt32, v String) ENGINE = Join(ALL, INNER, k);
INSERT INTO jall VALUES (1, 'a'), (1, 'b'), (2, 'c');
SELECT * FROM (SELECT toUInt32(number) AS k FROM numbers(3)) AS l INNER JOIN jall USING (k) ORDER BY k, v;
SHOW CREATE TABLE jall;

SHOW FULL TABLES LIKE 't%';

-- What is shown.
CREATE TABLE c1 (x UInt8, e UInt8 EPHEMERAL 7, m UInt8 MATERIALIZED x + 1) ENGINE = MergeTree ORDER BY x COMMENT 'tc';
SHOW COLUMNS FROM c1;
CREATE TABLE c2 AS c1;
CREATE TABLE c3 AS c1 ENGINE = Memory;
CREATE TABLE c4 AS c1 COMMENT 'own';
SELECT name, comment FROM system.tables WHERE database = currentDatabase() AND name LIKE 'c_' ORDER BY name;
CREATE FUNCTION daily_f1 AS x -> x + 1;
CREATE FUNCTION daily_f2 AS (x, k, b) -> k*x + b;
CREATE FUNCTION daily_f3 AS (x) -> if(x > 1, [x], []);
CREATE FUNCTION daily_f4 AS (x) -> x IS NULL;
SELECT name, create_query FROM system.functions WHERE name LIKE 'daily_f%' ORDER BY name;
SELECT daily_f1(number) * 2, daily_f2(number, 2, 1) FROM numbers(2);
DROP FUNCTION daily_f1;
DROP FUNCTION daily_f2;
DROP FUNCTION daily_f3;
DROP FUNCTION daily_f4;
CREATE VIEW vp AS SELECT {p:UInt8} AS a, 'x' AS b;
DESCRIBE vp(p = 1);
SHOW CREATE VIEW vp;
-- error: UNSUPPORTED_METHOD
DESCRIBE TABLE vp;
