-- CREATE TABLE in ClickHouse's layout.
EXPLAIN SYNTAX create table t (a UInt8) engine=Memory;
EXPLAIN SYNTAX CREATE TABLE t (a UInt8, b String DEFAULT 'x') ENGINE = MergeTree ORDER BY a PARTITION BY b SETTINGS index_granularity = 1;
EXPLAIN SYNTAX create table if not exists d.t (a UInt8 codec(ZSTD) ttl d + interval 1 day comment 'q', d Date, index i a type minmax granularity 1, constraint c check a > 1, projection p (select a order by a)) engine=MergeTree order by (a, d) primary key a ttl d + interval 1 month comment 'c';
EXPLAIN SYNTAX create table t (a UInt8, b UInt8, projection p (select a, b order by (a, b)), projection q (select a, b order by a, b + 1), projection r (select b order by (b))) engine=MergeTree order by a;
EXPLAIN SYNTAX create table t as s;
EXPLAIN SYNTAX create table t as s engine = Memory;
EXPLAIN SYNTAX create table t clone as s;
EXPLAIN SYNTAX create table t as numbers(10);
EXPLAIN SYNTAX create table t (a UInt8 default 1 + 2, b UInt8 materialized a * 2, c alias a + b, d String ephemeral, e String ephemeral 'x', f UInt8 null, g UInt8 not null, h Array(Nullable(UInt8)), i Decimal(9,2), k DateTime64(3,'UTC'), `q r` Tuple(x UInt8, y String)) engine=Memory;
EXPLAIN SYNTAX create table t (a UInt8 default [1,2], b UInt8 default (1,2), c UInt8 default 'x', d Nullable(UInt8) default null, e UInt8 default -1, g UInt8 ttl d + interval 1 month, constraint c assume a = 1) engine=Memory;
EXPLAIN SYNTAX create table t (a UInt8, primary key a) engine=MergeTree() order by tuple();
EXPLAIN SYNTAX create or replace table t (a UInt8) engine=ReplacingMergeTree(v, d) order by (a) sample by a partition by toYYYYMM(d) settings index_granularity=1, x='y' comment 'z';
EXPLAIN SYNTAX create temporary table t (a UInt8);
EXPLAIN SYNTAX oneline = 1 create table t (a UInt8, index i (a, b) type bloom_filter(0.01) granularity 4) engine=MergeTree order by (a desc, b) ttl d + interval 1 day delete where a > 1, d + interval 2 day to disk 'x';
EXPLAIN SYNTAX create table t (a UInt8) engine=MergeTree order by a*2 partition by (a, b%10);
EXPLAIN SYNTAX create table t (a UInt8) engine=MergeTree order by ();
