CREATE TABLE t (k UInt32, u UInt32, t DateTime, v Int64, s String, x UInt8, PROJECTION p1 (SELECT u, v ORDER BY u)) ENGINE = MergeTree PARTITION BY k % 2 ORDER BY k SETTINGS index_granularity = 64;
INSERT INTO t SELECT number % 10, number * 7919 % 1000, toDateTime('2024-01-01 00:00:00') + number * 60, number, toString(number % 100), 1 FROM numbers(1000);
-- error: ILLEGAL_PROJECTION
ALTER TABLE t ADD PROJECTION p1 (SELECT v ORDER BY v);
ALTER TABLE t ADD PROJECTION IF NOT EXISTS p1 (SELECT v ORDER BY v);
ALTER TABLE t ADD PROJECTION p2 (SELECT v ORDER BY v) FIRST;
ALTER TABLE t ADD PROJECTION p3 (SELECT s, sum(v) GROUP BY s) AFTER p1, ADD PROJECTION p4 (SELECT u + 1 AS w, v ORDER BY w);
SHOW CREATE TABLE t;
SELECT name, type, sorting_key, query FROM system.projections WHERE table = 't';
SELECT parent_name, name, rows FROM system.projection_parts WHERE table = 't' AND active ORDER BY ALL;
-- error: UNKNOWN_IDENTIFIER
ALTER TABLE t ADD PROJECTION p5 (SELECT nope ORDER BY v);
ALTER TABLE t MATERIALIZE PROJECTION p2 IN PARTITION 1 SETTINGS mutations_sync = 2;
ALTER TABLE t MATERIALIZE PROJECTION p3 SETTINGS mutations_sync = 2;
ALTER TABLE t MATERIALIZE PROJECTION IF EXISTS p3 SETTINGS mutations_sync = 2;
SELECT partition_id, name, rows FROM system.projection_parts WHERE table = 't' AND active ORDER BY ALL;
SELECT sum(u) FROM t WHERE u = 77 SETTINGS force_optimize_projection_name = 'p1';
SELECT v FROM t WHERE v IN (500, 501) ORDER BY v;
SELECT s, sum(v) FROM t GROUP BY s ORDER BY s LIMIT 3 SETTINGS force_optimize_projection_name = 'p3';
SELECT command, is_done FROM system.mutations WHERE table = 't' AND command LIKE '%p2%' ORDER BY mutation_id;
ALTER TABLE t CLEAR PROJECTION p1 IN PARTITION 0 SETTINGS mutations_sync = 2;
SELECT partition_id, name, rows FROM system.projection_parts WHERE table = 't' AND active ORDER BY ALL;
SELECT u, v FROM t WHERE u IN (76, 77) ORDER BY u;
ALTER TABLE t CLEAR PROJECTION p2 SETTINGS mutations_sync = 2;
ALTER TABLE t CLEAR PROJECTION IF EXISTS nope;
SELECT partition_id, name, rows FROM system.projection_parts WHERE table = 't' AND active ORDER BY ALL;
-- error: NO_SUCH_PROJECTION_IN_TABLE
ALTER TABLE t DROP PROJECTION nope;
ALTER TABLE t DROP PROJECTION IF EXISTS nope;
ALTER TABLE t DROP PROJECTION p2 SETTINGS mutations_sync = 2;
SELECT name FROM system.projections WHERE table = 't' ORDER BY name;
-- error: UNKNOWN_IDENTIFIER
ALTER TABLE t DROP COLUMN u;
-- error: UNKNOWN_IDENTIFIER
ALTER TABLE t DROP COLUMN s;
-- error: UNKNOWN_IDENTIFIER
ALTER TABLE t RENAME COLUMN s TO s2;
ALTER TABLE t DROP COLUMN x;
ALTER TABLE t ADD COLUMN y UInt8 DEFAULT 7;
SELECT sum(u), sum(y) FROM t WHERE u < 70;
ALTER TABLE t MATERIALIZE PROJECTION p1 SETTINGS mutations_sync = 2;
ALTER TABLE t MATERIALIZE PROJECTION p4 SETTINGS mutations_sync = 2;
SELECT partition_id, name, rows FROM system.projection_parts WHERE table = 't' AND active ORDER BY ALL;
SELECT u, v FROM t WHERE u IN (76, 77) ORDER BY u SETTINGS force_optimize_projection_name = 'p1';
-- Changes of rows.
-- error: SUPPORT_IS_DISABLED
DELETE FROM t WHERE u = 5;
ALTER TABLE t DELETE WHERE u = 5 SETTINGS mutations_sync = 2;
SELECT partition_id, name, rows FROM system.projection_parts WHERE table = 't' AND active ORDER BY ALL;
SELECT count() FROM t WHERE u = 5 SETTINGS force_optimize_projection_name = 'p1';
ALTER TABLE t UPDATE v = v + 1000 WHERE u = 6 SETTINGS mutations_sync = 2;
SELECT u, v FROM t WHERE u IN (5, 6, 7) ORDER BY u SETTINGS force_optimize_projection_name = 'p1';
SELECT s, sum(v) FROM t GROUP BY s ORDER BY s LIMIT 3 SETTINGS force_optimize_projection_name = 'p3';
ALTER TABLE t MODIFY SETTING lightweight_mutation_projection_mode = 'drop';
DELETE FROM t WHERE u = 8;
SELECT partition_id, name, rows FROM system.projection_parts WHERE table = 't' AND active AND partition_id = '1' ORDER BY ALL;
SELECT u, v FROM t WHERE u IN (5, 6, 7, 8) ORDER BY u;
ALTER TABLE t MATERIALIZE PROJECTION p1 SETTINGS mutations_sync = 2;
ALTER TABLE t MATERIALIZE PROJECTION p3 SETTINGS mutations_sync = 2;
ALTER TABLE t MODIFY SETTING lightweight_mutation_projection_mode = 'rebuild';
DELETE FROM t WHERE u = 9;
SELECT s, sum(v) FROM t GROUP BY s ORDER BY s LIMIT 3 SETTINGS force_optimize_projection_name = 'p3';
OPTIMIZE TABLE t FINAL;
SELECT count(), sum(v) FROM t WHERE u < 20 SETTINGS force_optimize_projection_name = 'p1';
SELECT s, sum(v) FROM t GROUP BY s ORDER BY s LIMIT 3 SETTINGS force_optimize_projection_name = 'p3';
-- error: SUPPORT_IS_DISABLED
OPTIMIZE TABLE t FINAL DEDUPLICATE;
ALTER TABLE t MODIFY SETTING deduplicate_merge_projection_mode = 'rebuild';
OPTIMIZE TABLE t FINAL DEDUPLICATE BY k, u;
SELECT count(), sum(v) FROM t WHERE u < 20 SETTINGS force_optimize_projection_name = 'p1';
-- Where merges make rows fewer.
CREATE TABLE r (k UInt32, u UInt32, v UInt32, PROJECTION p (SELECT k, u, v ORDER BY u)) ENGINE = ReplacingMergeTree(v) ORDER BY k SETTINGS deduplicate_merge_projection_mode = 'rebuild', index_granularity = 16;
INSERT INTO r SELECT number, 1000 - number, 1 FROM numbers(500);
INSERT INTO r SELECT number, number, 2 FROM numbers(0, 500) WHERE number % 2 = 0;
SELECT count(), sum(k) FROM r WHERE u < 20;
SELECT count(), sum(k) FROM r FINAL WHERE u < 20;
OPTIMIZE TABLE r FINAL;
SELECT name, rows, parent_rows FROM system.projection_parts WHERE table = 'r' AND active;
SELECT count(), sum(k) FROM r WHERE u < 20 SETTINGS force_optimize_projection_name = 'p';
SELECT count(), sum(k), sum(u) FROM r;
CREATE TABLE rd (k UInt32, u UInt32, PROJECTION p (SELECT k, u ORDER BY u)) ENGINE = SummingMergeTree ORDER BY k SETTINGS deduplicate_merge_projection_mode = 'drop';
INSERT INTO rd SELECT number % 10, number FROM numbers(100);
INSERT INTO rd SELECT number % 10, number FROM numbers(100);
OPTIMIZE TABLE rd FINAL;
SELECT count() FROM system.projection_parts WHERE table = 'rd' AND active;
SELECT k, u FROM rd ORDER BY k;
-- What inserts do not make, others make.
CREATE TABLE m (k UInt32, u UInt32, PROJECTION p (SELECT k, u ORDER BY u)) ENGINE = MergeTree ORDER BY k SETTINGS materialize_projections_on_insert = 0, materialize_projections_on_merge = 1, index_granularity = 16;
INSERT INTO m SELECT number, 1000 - number FROM numbers(500);
SELECT count() FROM system.projection_parts WHERE table = 'm' AND active;
SELECT k FROM m WHERE u = 777;
OPTIMIZE TABLE m FINAL;
SELECT name, rows FROM system.projection_parts WHERE table = 'm' AND active;
SELECT k FROM m WHERE u = 777 SETTINGS force_optimize_projection_name = 'p';
