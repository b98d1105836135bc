-- Another engine takes the columns with their TTL, and the keys that it does not say itself.
CREATE TABLE a (k UInt32, s String TTL d + INTERVAL 1 DAY, d Date) ENGINE = ReplacingMergeTree(k) ORDER BY (k, d) PRIMARY KEY k TTL d + INTERVAL 1 YEAR;
CREATE TABLE b AS a ENGINE = MergeTree;
SHOW CREATE TABLE b;
CREATE TABLE c AS a ENGINE = MergeTree ORDER BY (k, d, k + 1);
SHOW CREATE TABLE c;
CREATE TABLE d AS a ENGINE = MergeTree PRIMARY KEY k ORDER BY k PARTITION BY d TTL d + INTERVAL 2 DAY;
SHOW CREATE TABLE d;
-- error: BAD_ARGUMENTS
CREATE TABLE e AS a ENGINE = MergeTree ORDER BY d;
-- error: ILLEGAL_COLUMN
CREATE TABLE e AS a ENGINE = MergeTree ORDER BY (k, s);
CREATE TABLE plain (k UInt32, s String) ENGINE = MergeTree ORDER BY (k, s);
CREATE TABLE other AS plain ENGINE = MergeTree ORDER BY s;
SHOW CREATE TABLE other;
