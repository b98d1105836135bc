-- Limits of a table: parts of all partitions, replaced parts, partitions of a query, unfinished mutations.
CREATE TABLE many (k Int32) ENGINE = MergeTree PARTITION BY k ORDER BY k SETTINGS max_parts_in_total = 3;
INSERT INTO many VALUES (1), (2), (3);
-- error: TOO_MANY_PARTS
INSERT INTO many VALUES (4);
SELECT count(), sum(k) FROM many;
ALTER TABLE many DROP PARTITION 1;
INSERT INTO many VALUES (5);
-- error: TOO_MANY_PARTITIONS
SELECT k FROM many ORDER BY k SETTINGS max_partitions_to_read = 2;
SELECT k FROM many WHERE k IN (2, 3) ORDER BY k SETTINGS max_partitions_to_read = 2;
SELECT count() FROM many SETTINGS max_partitions_to_read = 1;
CREATE TABLE few (k Int32) ENGINE = MergeTree PARTITION BY k ORDER BY k SETTINGS max_partitions_to_read = 1;
INSERT INTO few VALUES (1), (2), (3);
-- error: TOO_MANY_PARTITIONS
SELECT k FROM few ORDER BY k;
SELECT k FROM few ORDER BY k SETTINGS max_partitions_to_read = 0;
SELECT k FROM few WHERE k = 2;
CREATE TABLE replaced (k Int32) ENGINE = MergeTree ORDER BY k SETTINGS inactive_parts_to_throw_insert = 2;
INSERT INTO replaced VALUES (1);
INSERT INTO replaced VALUES (2);
OPTIMIZE TABLE replaced FINAL;
-- error: TOO_MANY_PARTS
INSERT INTO replaced VALUES (3);
SELECT count() FROM replaced;
CREATE TABLE changed (k Int32, v Int32) ENGINE = MergeTree ORDER BY k SETTINGS number_of_mutations_to_throw = 1;
INSERT INTO changed VALUES (1, 1);
SYSTEM STOP MERGES changed;
ALTER TABLE changed UPDATE v = 2 WHERE 1 SETTINGS mutations_sync = 0;
-- error: TOO_MANY_MUTATIONS
ALTER TABLE changed UPDATE v = 3 WHERE 1 SETTINGS mutations_sync = 0;
ALTER TABLE changed UPDATE v = 3 WHERE 1 SETTINGS mutations_sync = 0, number_of_mutations_to_throw = 2;
SELECT count() FROM system.mutations WHERE database = currentDatabase() AND table = 'changed' AND NOT is_done;
CREATE TABLE merged (k Int32) ENGINE = MergeTree ORDER BY k;
-- error: CANNOT_ASSIGN_OPTIMIZE
OPTIMIZE TABLE merged SETTINGS optimize_throw_if_noop = 1;
INSERT INTO merged VALUES (1);
-- error: CANNOT_ASSIGN_OPTIMIZE
OPTIMIZE TABLE merged SETTINGS optimize_throw_if_noop = 1;
OPTIMIZE TABLE merged FINAL SETTINGS optimize_throw_if_noop = 1;
