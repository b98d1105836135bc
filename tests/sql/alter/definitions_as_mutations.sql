-- What changes of a definition are told in system.mutations, and the versions that parts have by them.

CREATE TABLE t
(
    k UInt64, a UInt32, b String, c String DEFAULT 'x', d Date, m UInt64 MATERIALIZED k * 2, n Nullable(UInt8),
    e UInt8 EPHEMERAL 1, al UInt64 ALIAS k + 1, arr Array(UInt8), en Enum8('a' = 1), dt DateTime, i32 UInt32,
    `n1.a` Array(UInt8), `n1.b` Array(UInt8), x1 UInt8, x2 UInt8, x3 UInt8
)
ENGINE = MergeTree ORDER BY k;

INSERT INTO t (k, a, b, d, en) VALUES (1, 1, '1', '2024-01-01', 'a');

INSERT INTO t (k, a, b, d, en) VALUES (2, 2, '2', '2024-01-01', 'a');

ALTER TABLE t DROP COLUMN e;

ALTER TABLE t RENAME COLUMN al TO al2;

ALTER TABLE t DROP COLUMN al2;

ALTER TABLE t MODIFY COLUMN en Enum8('a' = 1, 'b' = 2);

ALTER TABLE t MODIFY COLUMN i32 DateTime;

ALTER TABLE t DROP COLUMN n1;

ALTER TABLE t MODIFY COLUMN x1 UInt16 DEFAULT 7 COMMENT 'foo' CODEC(ZSTD(3)) TTL d + INTERVAL 100 YEAR;

ALTER TABLE t MODIFY COLUMN x2 UInt16 AFTER k;

ALTER TABLE t DROP COLUMN IF EXISTS zz;

ALTER TABLE t DROP COLUMN IF EXISTS x3;

ALTER TABLE t RENAME COLUMN IF EXISTS a TO `a b`;

ALTER TABLE t RENAME COLUMN IF EXISTS zz TO zy;

ALTER TABLE t CLEAR COLUMN IF EXISTS `a b`;

ALTER TABLE t CLEAR COLUMN IF EXISTS zz IN PARTITION tuple();

ALTER TABLE t ALTER COLUMN x2 TYPE UInt64;

ALTER TABLE t ADD INDEX i1 b TYPE minmax, ADD PROJECTION p1 (SELECT k ORDER BY b);

ALTER TABLE t DROP INDEX IF EXISTS i1, DROP PROJECTION IF EXISTS p1;

ALTER TABLE t DROP INDEX IF EXISTS i1, DROP PROJECTION IF EXISTS p1;

ALTER TABLE t MATERIALIZE INDEX IF EXISTS i1;

ALTER TABLE t MATERIALIZE PROJECTION IF EXISTS p1;

ALTER TABLE t MATERIALIZE COLUMN c IN PARTITION tuple();

ALTER TABLE t DROP COLUMN n, MODIFY TTL d + INTERVAL 99 YEAR;

ALTER TABLE t MODIFY TTL d + INTERVAL 98 YEAR SETTINGS materialize_ttl_after_modify = 0;

ALTER TABLE t MODIFY TTL d + INTERVAL 98 YEAR;

ALTER TABLE t ADD COLUMN q UInt8, DROP COLUMN b;

ALTER TABLE t ADD COLUMN q4 UInt8, MODIFY COLUMN q4 UInt16;

ALTER TABLE t DROP COLUMN m, UPDATE d = '2024-01-02' WHERE 1;

ALTER TABLE t MODIFY COLUMN arr Array(Nullable(UInt8));

ALTER TABLE t MODIFY COLUMN c DEFAULT 'y';

ALTER TABLE t MODIFY COLUMN c LowCardinality(String), MODIFY COMMENT 'c';

ALTER TABLE t MATERIALIZE STATISTICS ALL;

ALTER TABLE t MODIFY SETTING merge_max_block_size = 100;

SELECT mutation_id, command, is_done, parts_to_do, `block_numbers.partition_id`, `block_numbers.number`
FROM system.mutations WHERE table = 't' AND database = currentDatabase() ORDER BY `block_numbers.number`;

SELECT name, data_version FROM system.parts WHERE table = 't' AND database = currentDatabase() AND active ORDER BY name;

SELECT * FROM t ORDER BY k;

KILL MUTATION WHERE table = 't' AND database = currentDatabase() AND NOT is_done;
