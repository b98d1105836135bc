-- What a view gives for an EPHEMERAL column of its target feeds the columns that are computed from it.
CREATE TABLE raw (name String) ENGINE = MergeTree ORDER BY name;
CREATE TABLE parsed (name String, size UInt32 EPHEMERAL, more UInt32 EPHEMERAL 5, twice UInt32 MATERIALIZED size * 2, sum UInt32 DEFAULT size + more) ENGINE = MergeTree ORDER BY name;
CREATE MATERIALIZED VIEW parse TO parsed AS SELECT name, length(name) AS size FROM raw;
CREATE MATERIALIZED VIEW own (name String, size UInt32 EPHEMERAL, thrice UInt32 DEFAULT size * 3) ENGINE = MergeTree ORDER BY name AS SELECT name, length(name) AS size FROM raw;
INSERT INTO raw VALUES ('abc'), ('de');
SELECT name, twice, sum FROM parsed ORDER BY name;
SELECT * FROM own ORDER BY name;
-- Columns that are computed by themselves take nothing of a view.
-- error: THERE_IS_NO_COLUMN
CREATE MATERIALIZED VIEW computed TO parsed AS SELECT name, 1 AS twice FROM raw;
CREATE TABLE aliased (name String, a String ALIAS upper(name)) ENGINE = Memory;
-- error: THERE_IS_NO_COLUMN
CREATE MATERIALIZED VIEW computed TO aliased AS SELECT name, name AS a FROM raw;
-- A table whose only columns with values are EPHEMERAL.
CREATE TABLE fed (word String EPHEMERAL, size UInt64 MATERIALIZED length(word)) ENGINE = Memory;
INSERT INTO fed (word) VALUES ('four'), ('seven');
SELECT size FROM fed ORDER BY size;
-- MODIFY QUERY before the target has the column.
CREATE TABLE source (v UInt64) ENGINE = Null;
CREATE TABLE target (v UInt64) ENGINE = MergeTree ORDER BY v;
CREATE MATERIALIZED VIEW pipe TO target AS SELECT v FROM source;
ALTER TABLE pipe MODIFY QUERY SELECT v * 2 AS v, 1 AS w FROM source;
INSERT INTO source VALUES (1);
ALTER TABLE target ADD COLUMN w UInt64;
INSERT INTO source VALUES (2);
SELECT v, w FROM target ORDER BY v;
-- Rows are deleted of the table that has them.
-- error: BAD_ARGUMENTS
DELETE FROM own WHERE name = 'abc';
CREATE TABLE like_own AS own;
SELECT name, type, default_kind FROM system.columns WHERE table = 'like_own' AND database = currentDatabase();
