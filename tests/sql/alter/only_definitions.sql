CREATE TABLE t (k UInt64, s String, e Enum8('a' = 1), n UInt16, d Date) ENGINE = MergeTree ORDER BY tuple();
SET allow_non_metadata_alters = 0;
-- error: ALTER_OF_COLUMN_IS_FORBIDDEN
ALTER TABLE t MODIFY COLUMN n UInt64;
-- error: ALTER_OF_COLUMN_IS_FORBIDDEN
ALTER TABLE t DROP COLUMN n;
-- error: ALTER_OF_COLUMN_IS_FORBIDDEN
ALTER TABLE t RENAME COLUMN n TO m;
ALTER TABLE t MODIFY COLUMN s String DEFAULT 'x';
ALTER TABLE t MODIFY COLUMN e Enum8('a' = 1, 'b' = 2);
ALTER TABLE t ADD COLUMN z UInt8;
SELECT name, type FROM system.columns WHERE table = 't' AND database = currentDatabase();
SET allow_non_metadata_alters = 1;
ALTER TABLE t RENAME COLUMN n TO m;
