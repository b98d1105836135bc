CREATE TABLE s (id UInt64, h UInt32, x UInt8) ENGINE = MergeTree ORDER BY (x, intHash32(id)) SAMPLE BY intHash32(id) SETTINGS index_granularity = 128;
SELECT sampling_key FROM system.tables WHERE database = currentDatabase() AND name = 's';
SELECT name, is_in_sampling_key FROM system.columns WHERE database = currentDatabase() AND table = 's' ORDER BY position;
INSERT INTO s SELECT number, number * 7, number % 3 FROM numbers(100000);
SELECT count(), min(id), max(id), sum(id) FROM s SAMPLE 0.1;
SELECT count(), min(id), max(id), sum(id) FROM s SAMPLE 1/10 OFFSET 1/2;
SELECT count(), min(id), max(id), sum(id), any(_sample_factor) FROM s SAMPLE 0.1 OFFSET 0.95;
SELECT count(), any(_sample_factor) FROM s SAMPLE 1;
SELECT count(), any(_sample_factor) FROM s;
SELECT count(), any(_sample_factor) FROM s SAMPLE 10000;
SELECT count(), any(_sample_factor) FROM s SAMPLE 1e4;
SELECT count(), any(_sample_factor) FROM s SAMPLE 0;
SELECT count() FROM s SAMPLE 10000000;
SELECT count() FROM s SAMPLE 2/1;
SELECT count() FROM s SAMPLE 0.1 OFFSET 2;
SELECT count() FROM s AS y SAMPLE 1/2;
SELECT count() FROM s AS y SAMPLE 1/3 OFFSET 1/3 WHERE y.id < 1000;
SELECT count() FROM s SAMPLE 1/3 PREWHERE x = 1 WHERE id < 1000;
SELECT x, count() FROM s SAMPLE 1/7 GROUP BY x ORDER BY x LIMIT 2;
SELECT count() FROM s AS a SAMPLE 1/10 INNER JOIN s AS b SAMPLE 1/5 OFFSET 1/20 ON a.id = b.id;
SELECT count() FROM (SELECT id FROM s SAMPLE 1/100) WHERE id IN (SELECT id FROM s SAMPLE 1/200);
-- error: SYNTAX_ERROR
SELECT count() FROM s SAMPLE -1;
-- error: SAMPLING_NOT_SUPPORTED
SELECT count() FROM numbers(10) SAMPLE 0.1;
-- error: BAD_ARGUMENTS
CREATE TABLE s2 (id UInt64, h UInt32) ENGINE = MergeTree ORDER BY id SAMPLE BY h;
-- error: ILLEGAL_TYPE_OF_COLUMN_FOR_FILTER
CREATE TABLE s3 (id Int64) ENGINE = MergeTree ORDER BY id SAMPLE BY id;
CREATE TABLE s4 (id UInt64) ENGINE = MergeTree ORDER BY id SAMPLE BY id;
SHOW CREATE TABLE s4;
-- error: BAD_ARGUMENTS
CREATE TABLE s5 (id UInt64) ENGINE = Memory SAMPLE BY id;
-- error: BAD_ARGUMENTS
ALTER TABLE s4 MODIFY SAMPLE BY id + 1;
ALTER TABLE s4 REMOVE SAMPLE BY;
SHOW CREATE TABLE s4;
-- error: SAMPLING_NOT_SUPPORTED
SELECT count() FROM s4 SAMPLE 0.1;
ALTER TABLE s4 MODIFY SAMPLE BY id;
SHOW CREATE TABLE s4;
-- error: ALTER_OF_COLUMN_IS_FORBIDDEN
ALTER TABLE s DROP COLUMN id;
CREATE TABLE s7 (id UInt8, v UInt8) ENGINE = ReplacingMergeTree(v) ORDER BY id SAMPLE BY id;
INSERT INTO s7 SELECT number, 0 FROM numbers(256);
INSERT INTO s7 SELECT number, 1 FROM numbers(100);
SELECT count(), min(id), max(id), sum(v) FROM s7 FINAL SAMPLE 1/3;
SELECT count(), min(id), max(id), sum(v) FROM s7 AS q FINAL SAMPLE 1/3 OFFSET 0.25;
SELECT count(), min(id), max(id) FROM s7 SAMPLE 0.6 OFFSET 0.5;
SELECT id FROM (SELECT DISTINCT id FROM s7 SAMPLE 1/100) ORDER BY id;
CREATE TABLE s8 AS s7;
SHOW CREATE TABLE s8
