-- What a table has besides its columns: of the part that a row is in, and of its place there.
CREATE TABLE t (k UInt32, v String) ENGINE = MergeTree ORDER BY k SETTINGS index_granularity = 100;
INSERT INTO t SELECT number, toString(number) FROM numbers(300);
INSERT INTO t SELECT number + 1000, toString(number) FROM numbers(200);
INSERT INTO t SELECT number + 2000, toString(number) FROM numbers(100);
SELECT _part, _part_index, _part_starting_offset, _part_data_version, _disk_name, min(_part_offset), max(_part_offset) FROM t GROUP BY ALL ORDER BY _part;
SELECT k, _part_index, _part_starting_offset + _part_offset FROM t WHERE k IN (5, 1005, 2005) ORDER BY k;
SELECT k, v, _part_starting_offset, _part_index FROM t ORDER BY v DESC, k LIMIT 4;
SELECT k, _part_index, _part_starting_offset + _part_offset FROM t ORDER BY k LIMIT 3 OFFSET 298;
SELECT k, _part_index, _part_starting_offset + _part_offset FROM t ORDER BY k DESC LIMIT 2;
SELECT DISTINCT _part_uuid FROM t;
SELECT count() FROM t WHERE _part_index = 1;
SELECT count() FROM t WHERE _part_starting_offset + _part_offset < 350;
SELECT toTypeName(_part_index), toTypeName(_part_starting_offset), toTypeName(_part_data_version), toTypeName(_part_uuid) FROM t LIMIT 1;
ALTER TABLE t UPDATE v = 'x' WHERE k = 1000 SETTINGS mutations_sync = 2;
SELECT _part_data_version > 3, count() FROM t GROUP BY ALL;
DELETE FROM t WHERE k < 50;
SELECT _part_index, min(_part_starting_offset + _part_offset), count() FROM t GROUP BY ALL ORDER BY ALL;
DROP TABLE t
