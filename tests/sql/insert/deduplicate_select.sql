CREATE TABLE t (a UInt64) ENGINE = MergeTree ORDER BY a SETTINGS non_replicated_deduplication_window = 100;
-- A query whose rows have no order may give other blocks the next time.
-- error: DEDUPLICATION_IS_NOT_POSSIBLE
INSERT INTO t SELECT number FROM numbers(3) SETTINGS deduplicate_insert_select = 'force_enable';
SELECT count() FROM t;
INSERT INTO t SELECT number FROM numbers(3) ORDER BY ALL SETTINGS deduplicate_insert_select = 'force_enable';
INSERT INTO t SELECT number FROM numbers(3) ORDER BY ALL SETTINGS deduplicate_insert_select = 'force_enable';
SELECT count() FROM t;
INSERT INTO t SELECT number + 10 FROM numbers(3) SETTINGS deduplicate_insert_select = 'force_enable', insert_deduplication_token = 'x';
INSERT INTO t SELECT number + 20 FROM numbers(3) SETTINGS deduplicate_insert_select = 'force_enable', insert_deduplication_token = 'x';
SELECT count() FROM t;
INSERT INTO t SELECT number FROM numbers(3) ORDER BY ALL SETTINGS deduplicate_insert_select = 'disable';
SELECT count() FROM t;
