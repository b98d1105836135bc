-- What ALTER can do depends on the engine.
CREATE TABLE n (a Int32, b String) ENGINE = Null;
-- error: NOT_IMPLEMENTED
ALTER TABLE n RENAME COLUMN b TO c;
-- error: NOT_IMPLEMENTED
ALTER TABLE n ADD CONSTRAINT c CHECK a > 1;
-- error: NOT_IMPLEMENTED
ALTER TABLE n MODIFY ORDER BY a;
-- error: NOT_IMPLEMENTED
ALTER TABLE n MODIFY SETTING nothing = 1;
ALTER TABLE n ADD COLUMN d Int32, MODIFY COLUMN b LowCardinality(String);
DESCRIBE TABLE n;
CREATE TABLE l (a Int32, b String) ENGINE = Log;
-- error: NOT_IMPLEMENTED
ALTER TABLE l DROP INDEX i;
-- error: NOT_IMPLEMENTED
ALTER TABLE l MODIFY SAMPLE BY a;
CREATE TABLE kept (a Int32, b String) ENGINE = MergeTree ORDER BY a;
INSERT INTO kept VALUES (1, 'x');
CREATE TABLE buffered (a Int32, b String) ENGINE = Buffer(currentDatabase(), kept, 1, 1, 1, 1, 1, 1, 1);
-- error: NOT_IMPLEMENTED
ALTER TABLE buffered RENAME COLUMN b TO c;
-- error: NOT_IMPLEMENTED
ALTER TABLE buffered ADD INDEX i a TYPE minmax;
-- error: NOT_IMPLEMENTED
ALTER TABLE buffered ADD CONSTRAINT c CHECK a > 1;
-- Columns of a table that merges others are its own.
CREATE TABLE m (a Int32, b String) ENGINE = Merge(currentDatabase(), '^kept$');
ALTER TABLE m ADD COLUMN c UInt8, MODIFY COLUMN a Int64;
SELECT *, toTypeName(a) FROM m;
ALTER TABLE m DROP COLUMN b;
SELECT * FROM m;
-- error: NOT_IMPLEMENTED
ALTER TABLE m RENAME COLUMN a TO q;
