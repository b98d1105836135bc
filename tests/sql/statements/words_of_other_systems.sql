CREATE TABLE t (a UInt64, b UInt64) ENGINE = MergeTree ORDER BY tuple();
CREATE INDEX i ON t (a DESC, b ASC) TYPE minmax;
CREATE INDEX j ON t (a DESC) TYPE minmax GRANULARITY 2;
-- error: INCORRECT_QUERY
CREATE INDEX k ON t (a);
SET allow_create_index_without_type = 1;
CREATE INDEX k ON t (a);
CREATE INDEX k ON t (a DESC, b);
SHOW CREATE TABLE t;
-- DEFAULT in any case.
SET max_threads = default, join_use_nulls = 1;
SET join_use_nulls = Default;
SELECT getSetting('join_use_nulls');
SELECT 1 SETTINGS max_threads = default;
INSERT INTO t VALUES (1, default);
SELECT * FROM t;
-- An empty tuple beside a value.
CREATE TABLE e (c Tuple(), d UInt8) ENGINE = Memory;
INSERT INTO e VALUES ((), 1);
ALTER TABLE e UPDATE c = (), d = 2 WHERE 1 SETTINGS mutations_sync = 2;
SELECT * FROM e;
INSERT INTO FUNCTION null('auto') SELECT number, toString(number) FROM numbers(3);
-- A subquery with a WITH of its own gives what WITH names.
CREATE TABLE w ENGINE = Memory AS WITH (WITH (SELECT groupUniqArrayArray(['a']) FROM numbers(1)) AS names SELECT names) AS metrics SELECT metrics;
SELECT * FROM w;
-- Tables that tests want to stay.
CREATE TABLE m (x UInt8) ENGINE = Memory;
INSERT INTO m VALUES (1);
DROP TABLE m SETTINGS ignore_drop_queries_probability = 1;
SELECT count() FROM m;
DROP TABLE t SETTINGS ignore_drop_queries_probability = 1;
SELECT count() FROM t;
DROP TABLE t;
-- error: UNKNOWN_TABLE
SELECT count() FROM t;
