-- A column that is declared goes before what the table has of itself under the name.
CREATE TABLE t (_part UInt32, _partition_id String, x UInt8) ENGINE = MergeTree ORDER BY x PARTITION BY x;
INSERT INTO t VALUES (1, 'a', 1), (2, 'b', 2);
SELECT _part, _partition_id, x FROM t ORDER BY x;
SELECT x FROM t WHERE _part = 2;
SELECT x FROM t WHERE _partition_id = 'a';
SELECT * FROM t ORDER BY x;
-- NULL among words of a dictionary, in a Bloom filter.
CREATE TABLE b (k UInt8, v Array(LowCardinality(Nullable(String))), INDEX i v TYPE bloom_filter GRANULARITY 1) ENGINE = MergeTree ORDER BY k SETTINGS index_granularity = 1;
INSERT INTO b VALUES (1, ['a', NULL]), (2, [NULL]), (3, ['b']), (4, []);
SELECT k FROM b WHERE has(v, 'a') ORDER BY k;
SELECT k FROM b WHERE has(v, NULL) ORDER BY k;
SELECT k FROM b WHERE hasAny(v, ['b', NULL]) ORDER BY k;
SELECT k FROM b WHERE NOT has(v, 'a') ORDER BY k;
