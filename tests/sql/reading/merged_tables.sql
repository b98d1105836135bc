-- Several tables as one: merge() and the engine Merge.
CREATE TABLE m1 (a UInt8, b String) ENGINE = MergeTree ORDER BY a;
CREATE TABLE m2 (a UInt16, b String, c UInt8) ENGINE = MergeTree ORDER BY a;
CREATE TABLE other (a UInt16) ENGINE = Memory;
INSERT INTO m1 VALUES (1, 'x'), (2, 'y');
INSERT INTO m2 VALUES (3, 'z', 7);
INSERT INTO other VALUES (9);
SELECT * FROM merge(currentDatabase(), '^m') ORDER BY a;
SELECT *, _table, _database = currentDatabase() FROM merge('^m') ORDER BY a;
SELECT _table, count(), sum(a) FROM merge('^m|^o') GROUP BY _table ORDER BY _table;
DESCRIBE TABLE merge('^m');
SELECT count() FROM merge('^m') WHERE _table = 'm1';
SELECT a, b FROM merge('^m') WHERE a >= 2 AND b != 'q' ORDER BY a DESC LIMIT 1;
-- error: CANNOT_EXTRACT_TABLE_STRUCTURE
SELECT a FROM merge('^nosuch');
CREATE TABLE g ENGINE = Merge(currentDatabase(), '^m[0-9]');
SELECT *, _table FROM g ORDER BY a;
CREATE TABLE g2 (a UInt64) ENGINE = Merge(currentDatabase(), '^m[0-9]');
SELECT a, toTypeName(a), _table FROM g2 ORDER BY a;
SELECT name, type FROM system.columns WHERE table = 'g' AND database = currentDatabase() ORDER BY position;
INSERT INTO m1 VALUES (4, 'later');
SELECT sum(a) FROM g;
CREATE TABLE none (a UInt64) ENGINE = Merge(currentDatabase(), '^nosuch');
SELECT count() FROM none;
-- error: NOT_IMPLEMENTED
INSERT INTO g2 VALUES (1);
-- error: NUMBER_OF_ARGUMENTS_DOESNT_MATCH
CREATE TABLE g3 (a UInt64) ENGINE = Merge(currentDatabase());
DROP TABLE g;
SELECT count() FROM m1;
