-- A block is known for as long as it is one of the last three that were taken.
CREATE TABLE t (a UInt32) ENGINE = MergeTree ORDER BY a SETTINGS non_replicated_deduplication_window = 3;
INSERT INTO t VALUES (1);
INSERT INTO t VALUES (2);
INSERT INTO t VALUES (3);
INSERT INTO t VALUES (1);
SELECT count() FROM t;
INSERT INTO t VALUES (4);
INSERT INTO t VALUES (1);
SELECT count() FROM t;
INSERT INTO t VALUES (3);
INSERT INTO t VALUES (2);
SELECT a, count() FROM t GROUP BY a ORDER BY a;
-- So is a token.
CREATE TABLE tokens (a UInt32) ENGINE = MergeTree ORDER BY a SETTINGS non_replicated_deduplication_window = 3;
INSERT INTO tokens SETTINGS insert_deduplication_token = 't1' VALUES (1);
INSERT INTO tokens SETTINGS insert_deduplication_token = 't2' VALUES (2);
INSERT INTO tokens SETTINGS insert_deduplication_token = 't3' VALUES (3);
INSERT INTO tokens SETTINGS insert_deduplication_token = 't1' VALUES (1);
SELECT count() FROM tokens;
INSERT INTO tokens SETTINGS insert_deduplication_token = 't4' VALUES (4);
INSERT INTO tokens SETTINGS insert_deduplication_token = 't1' VALUES (1);
SELECT count() FROM tokens;
INSERT INTO tokens SETTINGS insert_deduplication_token = 't3' VALUES (3);
INSERT INTO tokens SETTINGS insert_deduplication_token = 't2' VALUES (2);
SELECT a, count() FROM tokens GROUP BY a ORDER BY a;
-- Tokens and blocks grow old together.
CREATE TABLE mixed (a UInt32) ENGINE = MergeTree ORDER BY a SETTINGS non_replicated_deduplication_window = 3;
INSERT INTO mixed SETTINGS insert_deduplication_token = 't' VALUES (1);
INSERT INTO mixed VALUES (1);
INSERT INTO mixed VALUES (2);
INSERT INTO mixed SETTINGS insert_deduplication_token = 't' VALUES (1);
SELECT count() FROM mixed;
INSERT INTO mixed VALUES (3);
INSERT INTO mixed SETTINGS insert_deduplication_token = 't' VALUES (1);
SELECT count() FROM mixed;
-- Two partitions of one INSERT are two blocks.
CREATE TABLE parted (p UInt32) ENGINE = MergeTree PARTITION BY p ORDER BY p SETTINGS non_replicated_deduplication_window = 2;
INSERT INTO parted VALUES (1);
INSERT INTO parted VALUES (2), (3);
INSERT INTO parted VALUES (1);
SELECT p, count() FROM parted GROUP BY p ORDER BY p;
-- A window that becomes narrower forgets at once.
CREATE TABLE narrowed (a UInt32) ENGINE = MergeTree ORDER BY a SETTINGS non_replicated_deduplication_window = 3;
INSERT INTO narrowed VALUES (1);
INSERT INTO narrowed VALUES (2);
INSERT INTO narrowed VALUES (3);
ALTER TABLE narrowed MODIFY SETTING non_replicated_deduplication_window = 2;
INSERT INTO narrowed VALUES (2);
SELECT count() FROM narrowed;
INSERT INTO narrowed VALUES (1);
SELECT count() FROM narrowed;
