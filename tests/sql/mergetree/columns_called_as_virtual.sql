-- A column that is declared is no virtual one.
CREATE TABLE named (id UInt8, _part UInt8, _partition_id String) ENGINE = MergeTree ORDER BY id PARTITION BY id;
INSERT INTO named VALUES (1, 7, 'x'), (2, 8, 'y');
SELECT _part, _partition_id, _part_offset FROM named WHERE _part > 7;
SELECT * FROM named WHERE _partition_id = 'x';
SELECT id FROM named WHERE _part = 7;
