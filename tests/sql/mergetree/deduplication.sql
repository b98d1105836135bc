CREATE TABLE t (a UInt32) ENGINE = MergeTree ORDER BY a SETTINGS non_replicated_deduplication_window = 10;
INSERT INTO t VALUES (1), (2);
INSERT INTO t VALUES (1), (2);
SELECT count() FROM t;
INSERT INTO t VALUES (3);
SELECT count() FROM t;
SET insert_deduplicate = 0;
INSERT INTO t VALUES (3);
-- gap: gives another result
SELECT count() FROM t;
CREATE TABLE u (a UInt32) ENGINE = MergeTree ORDER BY a;
INSERT INTO u VALUES (1);
INSERT INTO u VALUES (1);
SELECT count() FROM u;
