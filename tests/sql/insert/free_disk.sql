CREATE TABLE t (k UInt32) ENGINE = MergeTree ORDER BY k;
SET min_free_disk_bytes_to_perform_insert = 1000000000000000;
-- error: NOT_ENOUGH_SPACE
INSERT INTO t VALUES (1);
-- No rows need no room.
INSERT INTO t SELECT 1 WHERE 0;
SET min_free_disk_bytes_to_perform_insert = 0, min_free_disk_ratio_to_perform_insert = 1.5;
-- error: NOT_ENOUGH_SPACE
INSERT INTO t VALUES (1);
SET min_free_disk_ratio_to_perform_insert = 0.0000001;
INSERT INTO t VALUES (1);
SELECT count() FROM t;
CREATE TABLE full (k UInt32) ENGINE = MergeTree ORDER BY k SETTINGS min_free_disk_bytes_to_perform_insert = 1000000000000000;
-- What the table says goes before.
-- error: NOT_ENOUGH_SPACE
INSERT INTO full SETTINGS min_free_disk_bytes_to_perform_insert = 1 VALUES (1);
ALTER TABLE full ATTACH PARTITION tuple() FROM t;
ALTER TABLE full MODIFY SETTING min_free_disk_bytes_to_perform_insert = 0, min_free_disk_ratio_to_perform_insert = 1.5;
-- error: NOT_ENOUGH_SPACE
INSERT INTO full VALUES (1);
ALTER TABLE full RESET SETTING min_free_disk_ratio_to_perform_insert;
INSERT INTO full VALUES (2);
SELECT count() FROM full;
CREATE TABLE held (k UInt32) ENGINE = Memory;
INSERT INTO held SETTINGS min_free_disk_bytes_to_perform_insert = 1000000000000000 VALUES (1);
SELECT name, type, default FROM system.merge_tree_settings WHERE name LIKE 'min_free_disk%' ORDER BY name;
