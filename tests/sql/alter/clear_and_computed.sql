-- CLEAR COLUMN: columns that are computed from it follow, as they do behind an UPDATE.
CREATE TABLE t (k Int32, a UInt8, once Int32 DEFAULT a, twice Int64 MATERIALIZED toInt64(a) * 2, shown Int64 ALIAS a + 100, thrice Int64 MATERIALIZED shown + twice, other Int32 MATERIALIZED k * 7) ENGINE = MergeTree PARTITION BY k ORDER BY k;
INSERT INTO t (k, a) VALUES (1, 5), (2, 6);
SELECT *, twice, shown, thrice, other FROM t ORDER BY k;
CREATE TABLE of_one AS t;
INSERT INTO of_one (k, a) VALUES (1, 5), (2, 6);
ALTER TABLE of_one CLEAR COLUMN a IN PARTITION 1 SETTINGS mutations_sync = 2;
SELECT *, twice, shown, thrice, other FROM of_one ORDER BY k;
ALTER TABLE t MODIFY COLUMN a DEFAULT 17;
ALTER TABLE t CLEAR COLUMN a SETTINGS mutations_sync = 2;
SELECT *, twice, shown, thrice, other FROM t ORDER BY k;
ALTER TABLE t UPDATE a = 9 WHERE k = 2 SETTINGS mutations_sync = 2;
OPTIMIZE TABLE t FINAL;
SELECT *, twice, shown, thrice, other FROM t ORDER BY k;
-- error: ALTER_OF_COLUMN_IS_FORBIDDEN
ALTER TABLE t CLEAR COLUMN k;
CREATE TABLE one (k Int32) ENGINE = MergeTree ORDER BY tuple();
-- error: BAD_ARGUMENTS
ALTER TABLE one CLEAR COLUMN k;
