CREATE TABLE t (k UInt32, s String) ENGINE = MergeTree PARTITION BY k % 2 ORDER BY k;
INSERT INTO t SELECT number, toString(number) FROM numbers(20);
DELETE FROM t WHERE k < 5;
SELECT count(), min(k) FROM t;
DELETE FROM t WHERE s LIKE '1%';
SELECT k FROM t ORDER BY k;
DELETE FROM t IN PARTITION 0 WHERE k > 0;
SELECT k FROM t ORDER BY k;
INSERT INTO t VALUES (1, 'one');
SELECT k FROM t ORDER BY k;
SELECT command, is_done FROM system.mutations WHERE database = currentDatabase() AND table = 't' ORDER BY create_time, mutation_id LIMIT 1;
-- error: UNKNOWN_IDENTIFIER
DELETE FROM t WHERE nope = 1;
DELETE FROM t WHERE 1;
SELECT count() FROM t;
