-- Columns of a table that keeps no rows.
CREATE TABLE n (x Int64) ENGINE = Null;
ALTER TABLE n ADD COLUMN y String, MODIFY COLUMN x Int64 DEFAULT length(y);
ALTER TABLE n ADD COLUMN k UInt8 FIRST;
DESCRIBE TABLE n;
INSERT INTO n (y) VALUES ('a');
-- error: ILLEGAL_COLUMN
ALTER TABLE n DROP COLUMN y;
ALTER TABLE n DROP COLUMN k;
SHOW CREATE TABLE n;
SELECT engine_full FROM system.tables WHERE name = 'n' AND database = currentDatabase();
-- Rows of a Join go by ALTER … DELETE, whole keys at a time.
CREATE TABLE j (k UInt64, v String) ENGINE = Join(ANY, LEFT, k);
INSERT INTO j VALUES (1, 'a'), (1, 'b'), (2, 'c');
INSERT INTO j VALUES (2, 'd'), (3, 'e');
ALTER TABLE j DELETE WHERE v IN ('a', 'e');
SELECT * FROM j ORDER BY k;
OPTIMIZE TABLE j;
-- error: BAD_ARGUMENTS
DELETE FROM j WHERE k = 2;
-- error: NOT_IMPLEMENTED
ALTER TABLE j UPDATE v = 'x' WHERE 1;
CREATE TABLE every (k UInt64, v String) ENGINE = Join(ALL, INNER, k);
INSERT INTO every VALUES (1, 'a'), (1, 'b'), (2, 'c');
ALTER TABLE every DELETE WHERE v = 'a';
SELECT * FROM every ORDER BY k;
-- error: BAD_ARGUMENTS
CREATE TABLE none (k UInt64) ENGINE = Join(SEMI, INNER, k);
-- error: NOT_IMPLEMENTED
CREATE TABLE none (k UInt64) ENGINE = Join(ANY, FULL, k);
