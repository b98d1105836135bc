-- Statistics are declared, changed and shown. Those that ClickHouse makes of every column by itself are left out of what is compared.
CREATE TABLE t (a UInt32 STATISTICS(minmax, uniq, tdigest), b Nullable(Float64) CODEC(ZSTD(1)) STATISTICS(UNIQ, Minmax), s LowCardinality(String) DEFAULT 'x' COMMENT 'c' STATISTICS(uniq))
    ENGINE = MergeTree ORDER BY a;
SHOW CREATE TABLE t FORMAT TSVRaw;
SELECT name, arrayStringConcat(arrayFilter(x -> NOT endsWith(x, '(auto)'), splitByChar(',', statistics)), ',') FROM system.columns WHERE table = 't' AND database = currentDatabase() ORDER BY position;
INSERT INTO t SELECT number, number / 2, toString(number) FROM numbers(10);
ALTER TABLE t ADD STATISTICS b TYPE tdigest;
-- error: ILLEGAL_STATISTICS
ALTER TABLE t ADD STATISTICS b TYPE tdigest;
ALTER TABLE t ADD STATISTICS IF NOT EXISTS a, b TYPE tdigest, minmax;
-- error: ILLEGAL_STATISTICS
ALTER TABLE t ADD STATISTICS s TYPE minmax;
-- error: ILLEGAL_STATISTICS
ALTER TABLE t ADD STATISTICS nosuch TYPE uniq;
-- error: INCORRECT_QUERY
ALTER TABLE t ADD STATISTICS a TYPE nosuch;
ALTER TABLE t MODIFY STATISTICS a TYPE tdigest;
-- error: ILLEGAL_STATISTICS
ALTER TABLE t MODIFY STATISTICS nosuch TYPE uniq;
SHOW CREATE TABLE t FORMAT TSVRaw;
ALTER TABLE t MATERIALIZE STATISTICS a, b;
ALTER TABLE t MATERIALIZE STATISTICS ALL;
-- error: ILLEGAL_STATISTICS
ALTER TABLE t MATERIALIZE STATISTICS nosuch;
ALTER TABLE t CLEAR STATISTICS a;
ALTER TABLE t CLEAR STATISTICS ALL;
-- error: ILLEGAL_STATISTICS
ALTER TABLE t CLEAR STATISTICS nosuch;
ALTER TABLE t CLEAR STATISTICS IF EXISTS nosuch;
ALTER TABLE t DROP STATISTICS a SETTINGS mutations_sync = 2;
-- error: ILLEGAL_STATISTICS
ALTER TABLE t DROP STATISTICS a;
ALTER TABLE t DROP STATISTICS IF EXISTS a SETTINGS mutations_sync = 2;
ALTER TABLE t ADD COLUMN c UInt8 STATISTICS(uniq);
ALTER TABLE t RENAME COLUMN c TO d;
SHOW CREATE TABLE t FORMAT TSVRaw;
CREATE TABLE u AS t;
SELECT name, arrayStringConcat(arrayFilter(x -> NOT endsWith(x, '(auto)'), splitByChar(',', statistics)), ',') FROM system.columns WHERE table = 'u' AND database = currentDatabase() ORDER BY position;
SELECT a, b, s FROM t WHERE a > 7 ORDER BY a;
-- error: INCORRECT_QUERY
CREATE TABLE w (a UInt8 STATISTICS(uniq, uniq)) ENGINE = MergeTree ORDER BY a;
-- error: ILLEGAL_STATISTICS
CREATE TABLE w (a Array(String) STATISTICS(uniq)) ENGINE = MergeTree ORDER BY tuple();
