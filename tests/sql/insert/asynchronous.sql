-- settings: async_insert = 1, async_insert_busy_timeout_min_ms = 1, async_insert_busy_timeout_max_ms = 5
-- What an INSERT does is the same whether its rows are gathered or not.
CREATE TABLE t (a UInt32, b String DEFAULT concat('n', toString(a)), c UInt64 MATERIALIZED a * 2) ENGINE = MergeTree ORDER BY a;
INSERT INTO t VALUES (1, 'one'), (2, 'two');
INSERT INTO t (a) VALUES (3);
INSERT INTO t (b, a) VALUES (DEFAULT, 4);
INSERT INTO t SELECT 5, 'five';
INSERT INTO t (* EXCEPT (b)) VALUES (6);
SELECT *, c FROM t ORDER BY a;
-- error: NO_SUCH_COLUMN_IN_TABLE
INSERT INTO t (nope) VALUES (1);
-- error: UNKNOWN_TABLE
INSERT INTO nope VALUES (1);
SELECT count() FROM t;
CREATE MATERIALIZED VIEW v ENGINE = MergeTree ORDER BY n AS SELECT count() AS n FROM t;
INSERT INTO t VALUES (7, 'seven'), (8, 'eight');
SELECT * FROM v;
CREATE TABLE r (k UInt8, v UInt8) ENGINE = ReplacingMergeTree ORDER BY k;
INSERT INTO r VALUES (1, 1), (1, 2), (1, 3);
SELECT * FROM r;
SELECT count() FROM system.asynchronous_inserts;
