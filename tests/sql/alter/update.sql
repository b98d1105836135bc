-- UPDATE … SET … WHERE …, whose rows are others when it returns; and queries that see mutations that are not done.

CREATE TABLE u (p UInt8, k UInt64, a UInt32, b String, m UInt64 MATERIALIZED a * 2)
ENGINE = MergeTree PARTITION BY p ORDER BY k SETTINGS enable_block_number_column = 1, enable_block_offset_column = 1;

INSERT INTO u (p, k, a, b) VALUES (1, 1, 1, 'x'), (1, 2, 2, 'y'), (2, 3, 3, 'z');

UPDATE u SET a = 5 WHERE k = 1;

SELECT p, k, a, b, m FROM u ORDER BY k;

UPDATE u SET a = a + 1, b = 'q' WHERE k > 1;

SELECT p, k, a, b, m FROM u ORDER BY k;

UPDATE u SET a = 100 IN PARTITION 2 WHERE 1;

UPDATE u SET a = (SELECT max(k) FROM u) WHERE k IN (SELECT 2);

SELECT p, k, a FROM u ORDER BY k;

SELECT count() FROM u WHERE a > 50;

UPDATE u SET _row_exists = 0 WHERE k = 1;

DELETE FROM u WHERE k = 2;

SELECT p, k, a FROM u ORDER BY k;

-- error: CANNOT_UPDATE_COLUMN
UPDATE u SET k = 5 WHERE 1;

-- error: NO_SUCH_COLUMN_IN_TABLE
UPDATE u SET nope = 5 WHERE 1;

-- error: MULTIPLE_ASSIGNMENTS_TO_COLUMN
UPDATE u SET a = 1, a = 2 WHERE k = 3;

-- error: CANNOT_CONVERT_TYPE
UPDATE u SET a = NULL WHERE k = 3;

-- error: SYNTAX_ERROR
UPDATE u SET a = 7;

-- error: SUPPORT_IS_DISABLED
UPDATE u SET a = 1 WHERE k = 3 SETTINGS enable_lightweight_update = 0;

-- error: UNKNOWN_TABLE
UPDATE nope SET a = 1 WHERE 1;

CREATE TABLE m (k UInt64) ENGINE = Memory;

-- error: NOT_IMPLEMENTED
UPDATE m SET k = 1 WHERE 1;

CREATE TABLE pr (k UInt64, a UInt64, PROJECTION pp (SELECT a ORDER BY a))
ENGINE = MergeTree ORDER BY k SETTINGS enable_block_number_column = 1, enable_block_offset_column = 1;

INSERT INTO pr VALUES (1, 1), (2, 2);

UPDATE pr SET a = 3 WHERE k = 1;

SELECT a FROM pr WHERE a > 2;

SELECT * FROM pr ORDER BY k;

ALTER TABLE u UPDATE a = 9 WHERE 1 SETTINGS mutations_sync = 0;

ALTER TABLE u UPDATE a = a * 2 WHERE a = 9 SETTINGS mutations_sync = 0;

SELECT k, a, m FROM u ORDER BY k SETTINGS apply_mutations_on_fly = 1;

SELECT count() FROM u WHERE a = 18 SETTINGS apply_mutations_on_fly = 1;
