CREATE TABLE t (p UInt16, s String, PRIMARY KEY s) ENGINE = MergeTree() PARTITION BY p;
INSERT INTO t SELECT intDiv(number, 1000), toString(number) FROM numbers(10000);
SELECT count() FROM t;
SELECT count() FROM t WHERE s IN (SELECT toString(arrayJoin(range(10)) * 1000 + 555));
SELECT p, count() FROM t GROUP BY p ORDER BY p LIMIT 3;
SELECT partition, count(), sum(rows) FROM system.parts WHERE database = currentDatabase() AND table = 't' AND active GROUP BY partition ORDER BY partition LIMIT 3;
CREATE TABLE u (a UInt32, b UInt32) ENGINE = MergeTree PRIMARY KEY a ORDER BY (a, b);
INSERT INTO u VALUES (1, 5), (1, 2), (0, 9);
SELECT * FROM u;
-- error: BAD_ARGUMENTS
CREATE TABLE v (a UInt32, b UInt32) ENGINE = MergeTree PRIMARY KEY b ORDER BY (a, b);
SHOW CREATE TABLE u;
CREATE TABLE w (a UInt32, b UInt32) ENGINE = MergeTree PRIMARY KEY (a, b);
SELECT sorting_key, primary_key, partition_key FROM system.tables WHERE database = currentDatabase() AND name IN ('t', 'u', 'w') ORDER BY name;
