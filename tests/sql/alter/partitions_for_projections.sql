-- Parts of a table without a projection may become those of a table with one; not the other way.
CREATE TABLE a (k UInt32, d UInt8, v UInt32) ENGINE = MergeTree PARTITION BY d ORDER BY k;
CREATE TABLE b (k UInt32, d UInt8, v UInt32, PROJECTION p (SELECT v ORDER BY v)) ENGINE = MergeTree PARTITION BY d ORDER BY k;
CREATE TABLE c (k UInt32, d UInt8, v UInt32, PROJECTION p (SELECT v, k ORDER BY v)) ENGINE = MergeTree PARTITION BY d ORDER BY k;
INSERT INTO a SELECT number, 1, number FROM numbers(100);
INSERT INTO b SELECT number, 1, number FROM numbers(100);
INSERT INTO c SELECT number, 1, number FROM numbers(100);
ALTER TABLE b ATTACH PARTITION 1 FROM a;
SELECT count(), sum(v) FROM b;
SELECT count() FROM b WHERE v = 5;
ALTER TABLE b MATERIALIZE PROJECTION p SETTINGS mutations_sync = 2;
SELECT count() FROM b WHERE v = 5;
SELECT parent_rows, rows FROM system.projection_parts WHERE table = 'b' AND active;
SELECT part_name = name, bytes = bytes_on_disk FROM system.projection_parts WHERE table = 'b' AND active;
SELECT DISTINCT part_name = name, bytes = bytes_on_disk FROM system.parts_columns WHERE table = 'b' AND active;
ALTER TABLE b REPLACE PARTITION 1 FROM a;
SELECT count() FROM b WHERE v = 5;
-- error: BAD_ARGUMENTS
ALTER TABLE a ATTACH PARTITION 1 FROM b;
-- error: BAD_ARGUMENTS
ALTER TABLE b ATTACH PARTITION 1 FROM c;
-- error: BAD_ARGUMENTS
ALTER TABLE c MOVE PARTITION 1 TO TABLE b;
ALTER TABLE a MOVE PARTITION 1 TO TABLE b;
SELECT count(), sum(v) FROM b;
SELECT count() FROM a;
-- error: BAD_DATA_PART_NAME
CHECK TABLE b PART 'nothing';
-- error: BAD_DATA_PART_NAME
CHECK TABLE b PART '1_a_1_0';
-- error: NO_SUCH_DATA_PART
CHECK TABLE b PART '1_900_900_0';
-- error: EMPTY_LIST_OF_COLUMNS_PASSED
CREATE TABLE computed (a UInt8 ALIAS 1, b UInt8 MATERIALIZED 2) ENGINE = MergeTree ORDER BY tuple();
-- error: EMPTY_LIST_OF_COLUMNS_PASSED
CREATE TABLE computed (a UInt8 ALIAS 1) ENGINE = Memory;
CREATE TABLE ne (k UInt32, n Nested(a UInt8, b UInt8)) ENGINE = MergeTree ORDER BY k;
-- error: NOT_IMPLEMENTED
ALTER TABLE ne RENAME COLUMN n TO n2;
-- error: NOT_IMPLEMENTED
ALTER TABLE ne RENAME COLUMN IF EXISTS n TO n2;
