-- What is known of the part of a row may be named where rows are changed.
CREATE TABLE mp (k UInt8, v UInt64, s String) ENGINE = MergeTree ORDER BY k PARTITION BY k % 2;
INSERT INTO mp SELECT number, number, 'a' FROM numbers(6);
ALTER TABLE mp DELETE WHERE _part = 'x' SETTINGS mutations_sync = 1;
ALTER TABLE mp DELETE WHERE _part LIKE '1_%' AND k < 3 SETTINGS mutations_sync = 1;
SELECT * FROM mp ORDER BY k;
ALTER TABLE mp UPDATE v = 100 WHERE _partition_id = '0' SETTINGS mutations_sync = 1;
SELECT * FROM mp ORDER BY k;
ALTER TABLE mp UPDATE v = _part_offset, s = _partition_id WHERE 1 SETTINGS mutations_sync = 1;
SELECT * FROM mp ORDER BY k;
DELETE FROM mp WHERE _partition_id = '1' AND _part_offset = 0;
SELECT * FROM mp ORDER BY k;
OPTIMIZE TABLE mp FINAL;
DELETE FROM mp WHERE _part_offset = 1;
SELECT * FROM mp ORDER BY k;
DELETE FROM mp WHERE _partition_id = '0';
SELECT count() FROM mp;
