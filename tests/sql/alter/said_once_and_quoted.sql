-- NULL is said of a type once, columns whose names hold dots are quoted in UPDATE, and SYSTEM UNFREEZE is off.
-- error: ILLEGAL_SYNTAX_FOR_DATA_TYPE
CREATE TABLE n (a Nullable(Int32) NULL) ENGINE = MergeTree ORDER BY tuple();
-- error: ILLEGAL_SYNTAX_FOR_DATA_TYPE
CREATE TABLE n (a Nullable(Int32) NOT NULL) ENGINE = MergeTree ORDER BY tuple();
CREATE TABLE n (a Int32 NULL, b Int32 NOT NULL, c LowCardinality(Nullable(String))) ENGINE = MergeTree ORDER BY tuple();
-- error: ILLEGAL_SYNTAX_FOR_DATA_TYPE
ALTER TABLE n ADD COLUMN d Nullable(Int32) NULL;
-- error: ILLEGAL_SYNTAX_FOR_DATA_TYPE
ALTER TABLE n MODIFY COLUMN a Nullable(Int64) NULL;
ALTER TABLE n ADD COLUMN d Int32 NULL;
SELECT name, type FROM system.columns WHERE database = currentDatabase() AND table = 'n' ORDER BY position;
CREATE TABLE t (k UInt64, nn Nested(x Int32, y String), tt Tuple(x Int32, y String)) ENGINE = MergeTree ORDER BY k;
INSERT INTO t VALUES (1, [1, 2], ['a', 'b'], (1, 'a'));
-- error: SYNTAX_ERROR
ALTER TABLE t UPDATE nn.x = [3, 4] WHERE 1;
-- error: SYNTAX_ERROR
ALTER TABLE t UPDATE k = 1, nn.x = [3, 4] WHERE 1;
-- error: SYNTAX_ERROR
ALTER TABLE t UPDATE tt.x = 3 WHERE 1;
-- error: SYNTAX_ERROR
UPDATE t SET nn.x = [3, 4] WHERE 1;
ALTER TABLE t UPDATE `nn.x` = [5, 6] WHERE 1 SETTINGS mutations_sync = 2;
SELECT * FROM t;
SELECT command FROM system.mutations WHERE database = currentDatabase() AND table = 't';
-- error: SUPPORT_IS_DISABLED
SYSTEM UNFREEZE WITH NAME 'said_once_and_quoted';
