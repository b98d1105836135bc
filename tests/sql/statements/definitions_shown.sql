-- Definitions as they are shown: settings in their order, keys and expressions in their parentheses.

CREATE TABLE a1 (k UInt64 CODEC(Delta, ZSTD(3)), b String CODEC(LZ4HC(5)) COMMENT 'hi', c UInt8 DEFAULT 3 CODEC(NONE), d Date TTL d + INTERVAL 1 MONTH) ENGINE = MergeTree ORDER BY k;

SHOW CREATE TABLE a1;

SELECT create_table_query, engine_full FROM system.tables WHERE name='a1' FORMAT TSV;

ALTER TABLE a1 MODIFY SETTING parts_to_throw_insert=100, merge_with_ttl_timeout=5;

SHOW CREATE TABLE a1;

ALTER TABLE a1 RESET SETTING merge_with_ttl_timeout;

SHOW CREATE TABLE a1;

ALTER TABLE a1 MODIFY SETTING merge_with_ttl_timeout=5;

SHOW CREATE TABLE a1;

ALTER TABLE a1 MODIFY SETTING ttl_only_drop_parts=true;

SHOW CREATE TABLE a1;

ALTER TABLE a1 MODIFY SETTING ttl_only_drop_parts=1, allow_remote_fs_zero_copy_replication = 0;

SHOW CREATE TABLE a1;

CREATE TABLE a12 (k UInt64, x String EPHEMERAL, y String ALIAS x || 'a', z String MATERIALIZED upper(y), n UInt8 NULL, m UInt8 NOT NULL, l LowCardinality(Nullable(String)), e Enum('a','b'=5)) ENGINE=MergeTree ORDER BY k;

SHOW CREATE TABLE a12;

ALTER TABLE a12 MODIFY COLUMN m UInt16 DEFAULT 5 COMMENT 'q' CODEC(ZSTD(2)) FIRST;

SHOW CREATE TABLE a12;

ALTER TABLE a12 ADD COLUMN w Array(Nullable(UInt8)) DEFAULT [1,NULL] AFTER k;

ALTER TABLE a12 ADD COLUMN dd Date;

ALTER TABLE a12 MODIFY TTL dd + INTERVAL k DAY;

ALTER TABLE a12 ADD CONSTRAINT con CHECK (k > 1 AND m != 3) OR l IS NOT NULL;

ALTER TABLE a12 MODIFY COMMENT 'new \'comment\' here';

SHOW CREATE TABLE a12;

ALTER TABLE a12 ADD INDEX ii (k, m) TYPE minmax GRANULARITY 3, ADD INDEX jj (k) TYPE set(3) FIRST, ADD INDEX kk (k+1)*2 TYPE minmax AFTER jj;

ALTER TABLE a12 ADD PROJECTION pp (SELECT m, sum(k) GROUP BY m), ADD PROJECTION qq (SELECT k, m ORDER BY (m, k)) FIRST;

SHOW CREATE TABLE a12;

ALTER TABLE a12 ADD COLUMN o1 UInt64, MODIFY ORDER BY (k, o1);

SHOW CREATE TABLE a12;

ALTER TABLE a12 MODIFY COLUMN w REMOVE DEFAULT, DROP CONSTRAINT con, REMOVE TTL, MODIFY COMMENT '';

SHOW CREATE TABLE a12;

CREATE TABLE b1 (k UInt64, v UInt64) ENGINE=MergeTree PRIMARY KEY k;

SHOW CREATE TABLE b1;

CREATE TABLE b2 (k UInt64, v UInt64) ENGINE=MergeTree PRIMARY KEY (k, v) ORDER BY (k, v);

SHOW CREATE TABLE b2;

CREATE TABLE b3 (k UInt64, v UInt64) ENGINE=MergeTree PRIMARY KEY (k) ORDER BY (k, v);

SHOW CREATE TABLE b3;

CREATE TABLE b4 (k UInt64, v UInt64) ENGINE=MergeTree ORDER BY tuple(k);

SHOW CREATE TABLE b4;

CREATE TABLE b5 (k UInt64, v UInt64) ENGINE=MergeTree ORDER BY tuple(k, v) PARTITION BY tuple();

SHOW CREATE TABLE b5;

CREATE TABLE b6 (k UInt64, v UInt64) ENGINE=MergeTree ORDER BY ((k)) PARTITION BY (v);

SHOW CREATE TABLE b6;

CREATE TABLE b7 (k UInt64, v UInt64) ENGINE=MergeTree ORDER BY (k + 1) PARTITION BY ();

SHOW CREATE TABLE b7;

CREATE TABLE b8 (k UInt64, v UInt64) ENGINE=MergeTree ORDER BY ((k, v)) PARTITION BY (v % 3, k);

SHOW CREATE TABLE b8;

CREATE TABLE b9 (k UInt64, v UInt64) ENGINE=MergeTree ORDER BY ((k, v), k) SAMPLE BY (k);

CREATE TABLE b10 (k UInt64, v UInt64) ENGINE=MergeTree ORDER BY (k DESC) SETTINGS allow_experimental_reverse_key=1;

SHOW CREATE TABLE b10;

CREATE TABLE b11 (k UInt64, v UInt64) ENGINE=MergeTree ORDER BY k DESC SETTINGS allow_experimental_reverse_key=1;

SHOW CREATE TABLE b11;

CREATE TABLE b12 (k UInt64, v UInt64) ENGINE=MergeTree ORDER BY (k DESC, v ASC) SETTINGS allow_experimental_reverse_key=1;

SHOW CREATE TABLE b12;

CREATE TABLE b13 AS b3;

SHOW CREATE TABLE b13;

CREATE TABLE b14 AS b4;

SHOW CREATE TABLE b14;

CREATE TABLE b15 ENGINE=MergeTree ORDER BY (k) AS SELECT k FROM b4;

SHOW CREATE TABLE b15;

CREATE TABLE b16 (k UInt64, v UInt64, PRIMARY KEY k) ENGINE=MergeTree ORDER BY (k, v);

SHOW CREATE TABLE b16;

CREATE TABLE b17 (k UInt64 PRIMARY KEY, v UInt64 PRIMARY KEY) ENGINE=MergeTree;

SHOW CREATE TABLE b17;

CREATE TABLE b18 (k UInt64 PRIMARY KEY, v UInt64) ENGINE=MergeTree ORDER BY (k, v);

SHOW CREATE TABLE b18;

SELECT name, partition_key, sorting_key, primary_key, sampling_key FROM system.tables WHERE name LIKE 'b%' AND database='default' ORDER BY name;

ALTER TABLE b1 ADD COLUMN x UInt8, MODIFY ORDER BY (k, x);

SHOW CREATE TABLE b1;

ALTER TABLE b4 ADD COLUMN x UInt8, MODIFY ORDER BY (k, x);

SHOW CREATE TABLE b4;

ALTER TABLE b3 MODIFY ORDER BY (k);

SHOW CREATE TABLE b3;

CREATE TABLE c1 (k UInt64, l Array(UInt8) DEFAULT arrayMap(x -> x + 1, [1]), m Array(UInt8) DEFAULT arrayMap((x, y) -> x, [1], [2]), n UInt8 DEFAULT arrayExists(x -> x = 1 AND x > 3, l), o UInt8 DEFAULT arrayExists(x -> NOT x, l)) ENGINE=MergeTree ORDER BY k;

SHOW CREATE TABLE c1;

CREATE TEMPORARY TABLE tt (k UInt64) ENGINE=MergeTree ORDER BY k SETTINGS index_granularity=5;

SHOW CREATE TEMPORARY TABLE tt;

CREATE VIEW v2 AS SELECT arrayMap(x -> x + 1, [1]) AS a, arrayFilter((x, y) -> (x > y), [1], [2]);

SHOW CREATE TABLE v2;

CREATE TABLE c2 (k UInt64, INDEX a (k) TYPE minmax, INDEX b ((k)) TYPE minmax, INDEX c (k + 1) TYPE minmax, INDEX d tuple(k) TYPE minmax, INDEX e (k, k+1) TYPE minmax) ENGINE=MergeTree ORDER BY k TTL toDate(k), toDate(k) + 3 TO VOLUME 'default';

SHOW CREATE TABLE c2;

SELECT name, expr FROM system.data_skipping_indices WHERE table='c2' ORDER BY name;

CREATE TABLE c3 (k UInt64, d Date) ENGINE=MergeTree ORDER BY k TTL (d + INTERVAL 1 DAY);

SHOW CREATE TABLE c3;

CREATE TABLE e1 (k UInt64, a UInt64, d Date, x UInt8 DEFAULT (1), y UInt8 DEFAULT ((1 + 2)), z UInt8 MATERIALIZED (k > 1), CONSTRAINT c CHECK (k >= 0), CONSTRAINT d ASSUME (k < 10) AND a > 1) ENGINE = MergeTree ORDER BY k TTL d + INTERVAL 100 YEAR, (d + INTERVAL 100 YEAR) DELETE WHERE (k = 1);

SHOW CREATE TABLE e1;

ALTER TABLE e1 UPDATE a = (1) WHERE (k = 1);

ALTER TABLE e1 UPDATE a = (a + 1) * 2 WHERE ((k = 1)) AND (a = 2);

ALTER TABLE e1 DELETE WHERE (k = 100);

DELETE FROM e1 WHERE (k = 100);

ALTER TABLE e1 UPDATE a = arrayCount(x -> x = 1, [1, 2]) WHERE 1;

SELECT command FROM system.mutations WHERE table = 'e1' ORDER BY `block_numbers.number`;

CREATE TABLE e2 (k UInt64) ENGINE = MergeTree ORDER BY () SETTINGS ttl_only_drop_parts = true, index_granularity = 8192;

SHOW CREATE TABLE e2;

CREATE TABLE e3 (k UInt64 PRIMARY KEY, v UInt64) ENGINE = ReplacingMergeTree;

SHOW CREATE TABLE e3;

CREATE MATERIALIZED VIEW e4 ENGINE = SummingMergeTree ORDER BY k SETTINGS min_rows_for_wide_part = 3, index_granularity = 7 AS SELECT k, count() AS c FROM e1 GROUP BY k;

SHOW CREATE TABLE e4;
