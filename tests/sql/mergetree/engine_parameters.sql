-- Parameters of the engines of the family.
CREATE TABLE r0 (k Int32, v UInt64) ENGINE = ReplacingMergeTree() ORDER BY k;
CREATE TABLE r1 (k Int32, v Date) ENGINE = ReplacingMergeTree(v) ORDER BY k;
CREATE TABLE r2 (k Int32, v Float64, d UInt8) ENGINE = ReplacingMergeTree(v, d) ORDER BY k;
CREATE TABLE s0 (k Int32, `select` UInt64, b UInt8) ENGINE = SummingMergeTree((`select`, b)) ORDER BY k;
CREATE TABLE s1 (k Int32, a Array(UInt8)) ENGINE = SummingMergeTree(a) ORDER BY k;
CREATE TABLE c (k Int32, s Int8) ENGINE = CollapsingMergeTree(s) ORDER BY k;
CREATE TABLE v (k Int32, s Int8, v UInt8) ENGINE = VersionedCollapsingMergeTree(s, v) ORDER BY k PARTITION BY k SETTINGS index_granularity = 100;
CREATE TABLE a (k Int32) ENGINE = AggregatingMergeTree ORDER BY k;
SELECT name, engine, engine_full, sorting_key, primary_key FROM system.tables WHERE database = 'default' ORDER BY name;
SHOW CREATE TABLE v;
SHOW CREATE TABLE s0;
CREATE TABLE r1_copy AS r1;
SELECT engine_full FROM system.tables WHERE name = 'r1_copy';
-- error: NUMBER_OF_ARGUMENTS_DOESNT_MATCH
CREATE TABLE x (k Int32) ENGINE = MergeTree(k) ORDER BY k;
-- error: NUMBER_OF_ARGUMENTS_DOESNT_MATCH
CREATE TABLE x (k Int32, v UInt8, d UInt8) ENGINE = ReplacingMergeTree(v, d, k) ORDER BY k;
-- error: NUMBER_OF_ARGUMENTS_DOESNT_MATCH
CREATE TABLE x (k Int32, a UInt8, b UInt8) ENGINE = SummingMergeTree(a, b) ORDER BY k;
-- error: NUMBER_OF_ARGUMENTS_DOESNT_MATCH
CREATE TABLE x (k Int32, s Int8) ENGINE = CollapsingMergeTree ORDER BY k;
-- error: NUMBER_OF_ARGUMENTS_DOESNT_MATCH
CREATE TABLE x (k Int32, s Int8) ENGINE = VersionedCollapsingMergeTree(s) ORDER BY k;
-- error: NUMBER_OF_ARGUMENTS_DOESNT_MATCH
CREATE TABLE x (k Int32, s Int8) ENGINE = AggregatingMergeTree(s) ORDER BY k;
-- error: BAD_TYPE_OF_FIELD
CREATE TABLE x (k Int32, v String) ENGINE = ReplacingMergeTree(v) ORDER BY k;
-- error: BAD_TYPE_OF_FIELD
CREATE TABLE x (k Int32, v Nullable(Int32)) ENGINE = ReplacingMergeTree(v) ORDER BY k;
-- error: BAD_TYPE_OF_FIELD
CREATE TABLE x (k Int32, v Decimal(9, 2)) ENGINE = ReplacingMergeTree(v) ORDER BY k;
-- error: BAD_TYPE_OF_FIELD
CREATE TABLE x (k Int32, v Enum8('a' = 1)) ENGINE = ReplacingMergeTree(v) ORDER BY k;
-- error: BAD_TYPE_OF_FIELD
CREATE TABLE x (k Int32, v UInt8, d Int8) ENGINE = ReplacingMergeTree(v, d) ORDER BY k;
-- error: BAD_TYPE_OF_FIELD
CREATE TABLE x (k Int32, s UInt8) ENGINE = CollapsingMergeTree(s) ORDER BY k;
-- error: BAD_TYPE_OF_FIELD
CREATE TABLE x (k Int32, s Int8, v String) ENGINE = VersionedCollapsingMergeTree(s, v) ORDER BY k;
-- error: NO_SUCH_COLUMN_IN_TABLE
CREATE TABLE x (k Int32) ENGINE = ReplacingMergeTree(nope) ORDER BY k;
-- error: NO_SUCH_COLUMN_IN_TABLE
CREATE TABLE x (k Int32, v UInt8) ENGINE = ReplacingMergeTree(v, nope) ORDER BY k;
-- error: NO_SUCH_COLUMN_IN_TABLE
CREATE TABLE x (k Int32, v UInt64 ALIAS k) ENGINE = ReplacingMergeTree(v) ORDER BY k;
-- error: NO_SUCH_COLUMN_IN_TABLE
CREATE TABLE x (k Int32) ENGINE = SummingMergeTree(nope) ORDER BY k;
-- error: NO_SUCH_COLUMN_IN_TABLE
CREATE TABLE x (k Int32) ENGINE = CollapsingMergeTree(nope) ORDER BY k;
-- error: NO_SUCH_COLUMN_IN_TABLE
CREATE TABLE x (k Int32, s Int8) ENGINE = VersionedCollapsingMergeTree(s, nope) ORDER BY k;
-- error: BAD_ARGUMENTS
CREATE TABLE x (k Int32, d UInt8) ENGINE = ReplacingMergeTree(d, d) ORDER BY k;
-- error: BAD_ARGUMENTS
CREATE TABLE x (k Int32, s Int8) ENGINE = VersionedCollapsingMergeTree(s, s) ORDER BY k;
-- error: BAD_ARGUMENTS
CREATE TABLE x (k Int32, v UInt8) ENGINE = ReplacingMergeTree(v + 1) ORDER BY k;
-- error: BAD_ARGUMENTS
CREATE TABLE x (k Int32, v UInt8) ENGINE = ReplacingMergeTree('v') ORDER BY k;
-- error: BAD_ARGUMENTS
CREATE TABLE x (k Int32, v UInt8) ENGINE = SummingMergeTree(k) ORDER BY k;
-- error: BAD_ARGUMENTS
CREATE TABLE x (k Int32, p UInt8) ENGINE = SummingMergeTree(p) ORDER BY k PARTITION BY p;
-- error: BAD_ARGUMENTS
CREATE TABLE x (k Int32, v UInt8) ENGINE = SummingMergeTree((v, v)) ORDER BY k;
-- error: ILLEGAL_COLUMN
CREATE TABLE x (k Int32, s Int8, v Nullable(UInt8)) ENGINE = VersionedCollapsingMergeTree(s, v) ORDER BY k;
SELECT count() FROM system.tables WHERE name = 'x';
