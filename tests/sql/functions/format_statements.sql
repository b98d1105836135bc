-- Statements that are no queries, laid out.
SELECT formatQuery('set a = 1, b=\'x\', c = default');
SELECT formatQuerySingleLine('set additional_table_filters = {\'t\': \'a != 1\', \'u\': \'b\'}');
SELECT formatQuerySingleLine('select v from t settings additional_table_filters = {\'t\': \'a\'}');
SELECT formatQuery('alter table d.t add column if not exists x UInt8 default 5 after y, drop column if exists z, rename column a to b, comment column a \'x\'');
SELECT formatQuerySingleLine('alter table t update a = 5, b = 2 where b = 3 and c, delete where x in (1, 2)');
SELECT formatQuery('alter table t modify comment \'x\', modify order by (a, b), modify ttl d + interval 1 day delete where x = 1');
SELECT formatQuery('alter table t add index i a type minmax granularity 3, add constraint c check a > 3, drop constraint c, materialize column x');
SELECT formatQuery('alter table t modify setting a = 5, b = \'x\'');
SELECT formatQuerySingleLine('alter table t drop partition 3, detach part \'x\', attach partition id \'x\', freeze, replace partition 3 from u, move partition 4 to table d.x');
SELECT formatQuery('delete from t in partition 3 where a = 3 and b = 4');
SELECT formatQuery('drop table if exists a.b, c sync'), formatQuery('drop view x'), formatQuery('drop database if exists x');
SELECT formatQuery('truncate t'), formatQuery('rename table a to b, c.d to e.f'), formatQuery('exchange tables a and b'), formatQuery('use `a b`');
SELECT formatQuery('optimize table t partition 3 final'), formatQuery('optimize table t final deduplicate by a, b');
SELECT formatQuery('create table if not exists d.t (a UInt8 default 1+2, b String comment \'x\' codec(ZSTD(1)), index i a>1 type minmax, constraint c check a > 3 and b = \'x\', projection p (select a order by b)) engine = MergeTree partition by a%2 order by (a, b) ttl d + interval 1 day settings x = 1 comment \'c\'');
SELECT formatQuery('create table t engine = Memory as select 1, 2 from x where a > 3');
SELECT formatQuerySingleLine('create table t as u engine = Log'), formatQuerySingleLine('create view v as select a, b from t');
SELECT formatQuerySingleLine('create materialized view v to t as select a from t'), formatQuery('create materialized view v engine = MergeTree order by a populate as select a from t');
SELECT formatQuerySingleLine('create or replace table t (a Array(Tuple(x UInt8,y String)), e Enum8(\'a\'=1,\'b\'=2)) engine = ReplacingMergeTree(a) primary key a order by (a, e)');
