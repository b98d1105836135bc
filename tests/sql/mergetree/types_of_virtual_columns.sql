-- Names that few rows differ in are LowCardinality.
CREATE TABLE t (k UInt32) ENGINE = MergeTree ORDER BY k;
CREATE TABLE m (k UInt32) ENGINE = Memory;
INSERT INTO t SELECT number FROM numbers(3);
INSERT INTO t SELECT number FROM numbers(3);
INSERT INTO m VALUES (1);
SELECT DISTINCT toTypeName(_part), toTypeName(_partition_id), toTypeName(_disk_name), toTypeName(_table), toTypeName(_database) FROM t;
SELECT toTypeName(_table), toTypeName(_database), _table FROM m;
SELECT toTypeName(_table), _table FROM merge('^m$');
SELECT _part, toTypeName(concat(_part, 'x')), toTypeName(upper(_part)), count() FROM t GROUP BY _part ORDER BY _part;
SELECT count() FROM t WHERE _part = 'all_1_1_0' AND _partition_id = 'all' AND _table = 't';
SELECT count() FROM t WHERE _part IN ('all_1_1_0', 'x') AND _part LIKE 'all%' AND _part != 'all_2_2_0';
SELECT uniq(_part), max(_part), groupUniqArray(_disk_name) FROM t;
SELECT name FROM (SELECT DISTINCT _part AS name, _part_offset FROM t) WHERE name IN (SELECT _part FROM t) ORDER BY name LIMIT 1;
