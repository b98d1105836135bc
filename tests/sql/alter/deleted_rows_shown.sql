-- Rows that DELETE FROM deleted, as long as they are there.
CREATE TABLE t (k UInt32, v UInt32) ENGINE = MergeTree ORDER BY k SETTINGS index_granularity = 2;
INSERT INTO t SELECT number, number * 10 FROM numbers(10);
DELETE FROM t WHERE k IN (3, 4);
SELECT count() FROM t WHERE v = 30;
SELECT k, _row_exists FROM t ORDER BY k SETTINGS apply_deleted_mask = 0;
SELECT count() FROM t SETTINGS apply_deleted_mask = 0;
SELECT count() FROM t;
SELECT k FROM t WHERE k IN (3, 5) ORDER BY k SETTINGS apply_deleted_mask = 0;
SELECT k FROM t WHERE k IN (3, 5) ORDER BY k;
SELECT count() FROM t WHERE v = 30 SETTINGS apply_deleted_mask = 0;
SELECT count() FROM t WHERE v = 30;
SELECT min(k), max(k), sum(v) FROM t SETTINGS apply_deleted_mask = 0;
SELECT k, _row_exists FROM t WHERE _row_exists = 0 ORDER BY k SETTINGS apply_deleted_mask = 0;
SELECT k FROM t WHERE _row_exists = 1 AND v > 20 ORDER BY v DESC LIMIT 6 SETTINGS apply_deleted_mask = 0;
SELECT k, _row_exists, _part_offset FROM t ORDER BY k LIMIT 5 SETTINGS apply_deleted_mask = 0;
SELECT k, _row_exists FROM t ORDER BY v DESC LIMIT 7 SETTINGS apply_deleted_mask = 0;
SELECT k, _row_exists FROM t ORDER BY k LIMIT 5;
SELECT count(), sum(_row_exists) FROM t SETTINGS apply_deleted_mask = 0;
INSERT INTO t SELECT number, number FROM numbers(2);
SELECT k, v, _row_exists FROM t WHERE k < 4 ORDER BY k, v SETTINGS apply_deleted_mask = 0;
-- What changes rows does not bring them back.
ALTER TABLE t UPDATE v = v + 1 WHERE k = 5 SETTINGS mutations_sync = 2, apply_deleted_mask = 0;
DELETE FROM t WHERE k = 6 SETTINGS apply_deleted_mask = 0;
SELECT k, v FROM t ORDER BY k, v;
OPTIMIZE TABLE t FINAL;
SELECT k, v, _row_exists FROM t ORDER BY k, v SETTINGS apply_deleted_mask = 0;
