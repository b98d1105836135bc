-- Names of parts after mutations, of those without a changed row too, and what takes parts by these names.

CREATE TABLE t (p UInt8, k UInt64, a UInt32) ENGINE = MergeTree PARTITION BY p ORDER BY k;

INSERT INTO t VALUES (1, 1, 1);

INSERT INTO t VALUES (2, 2, 2);

INSERT INTO t VALUES (2, 3, 3);

ALTER TABLE t UPDATE a = 7 IN PARTITION 1 WHERE 1;

SELECT name, data_version, min_block_number, max_block_number, level FROM system.parts WHERE table = 't' AND active ORDER BY name;

ALTER TABLE t UPDATE a = 7 WHERE k = 100;

SELECT name, data_version FROM system.parts WHERE table = 't' AND active ORDER BY name;

OPTIMIZE TABLE t FINAL;

SELECT name, data_version, level, rows FROM system.parts WHERE table = 't' AND active ORDER BY name;

DELETE FROM t WHERE k = 200;

INSERT INTO t VALUES (2, 4, 3), (2, 5, 3);

ALTER TABLE t DELETE WHERE k = 4;

SELECT _part, _part_data_version, _partition_id, k FROM t ORDER BY k;

-- error: NO_SUCH_DATA_PART
ALTER TABLE t DETACH PART '1_1_1_1';

ALTER TABLE t DETACH PART '1_1_1_1_8';

SELECT name, partition_id, min_block_number, max_block_number, level FROM system.detached_parts WHERE table = 't' ORDER BY name;

ALTER TABLE t ATTACH PART '1_1_1_1_8';

SELECT name, data_version, level FROM system.parts WHERE table = 't' AND active ORDER BY name;

ALTER TABLE t DROP PART '2_7_7_0_8';

SELECT _part, k FROM t ORDER BY k;

ALTER TABLE t ADD COLUMN z UInt8, DROP COLUMN a;

SELECT name, data_version FROM system.parts WHERE table = 't' AND active ORDER BY name;

SELECT mutation_id, command, `block_numbers.partition_id` FROM system.mutations WHERE table = 't' ORDER BY `block_numbers.number`;

CREATE TABLE t2 AS t;

ALTER TABLE t2 ATTACH PARTITION 1 FROM t;

SELECT name, data_version FROM system.parts WHERE table = 't2' AND active ORDER BY name;
