-- Columns that parts have of themselves, and types that no value is of.
-- error: ILLEGAL_COLUMN
CREATE TABLE a (k UInt8, _row_exists UInt8) ENGINE = MergeTree ORDER BY k;
-- error: ILLEGAL_COLUMN
CREATE TABLE a (k UInt8, _block_number UInt64) ENGINE = ReplacingMergeTree ORDER BY k;
CREATE TABLE memory (k UInt8, _row_exists UInt8) ENGINE = Memory;
CREATE TABLE b (k UInt8, a UInt8) ENGINE = MergeTree ORDER BY k;
-- error: ILLEGAL_COLUMN
ALTER TABLE b ADD COLUMN _row_exists UInt8;
-- error: ILLEGAL_COLUMN
ALTER TABLE b RENAME COLUMN a TO _row_exists;
-- error: DATA_TYPE_CANNOT_BE_USED_IN_TABLES
CREATE TABLE a (k UInt8, n Nothing) ENGINE = MergeTree ORDER BY k;
-- error: DATA_TYPE_CANNOT_BE_USED_IN_TABLES
CREATE TABLE a (k UInt8, n Array(Nothing)) ENGINE = Memory;
-- error: DATA_TYPE_CANNOT_BE_USED_IN_TABLES
CREATE TABLE a ENGINE = Memory AS SELECT NULL AS n;
-- error: DATA_TYPE_CANNOT_BE_USED_IN_TABLES
ALTER TABLE b ADD COLUMN n Nullable(Nothing);
-- error: BAD_ARGUMENTS
CREATE TABLE a (k UInt8, m Map(Nullable(String), UInt8)) ENGINE = MergeTree ORDER BY k;
-- error: BAD_ARGUMENTS
CREATE TABLE a (k UInt8, m Array(Map(LowCardinality(Nullable(String)), UInt8))) ENGINE = Memory;
-- error: BAD_ARGUMENTS
ALTER TABLE b ADD COLUMN m Map(Nullable(String), UInt8);
INSERT INTO b VALUES (1, 2);
SELECT * FROM b;
