CREATE TABLE t (a UInt32, b UInt32 DEFAULT a * 2, c String DEFAULT 'none', d UInt32 MATERIALIZED a + 1, e UInt32 ALIAS a * 100, f Nullable(Int32)) ENGINE = MergeTree ORDER BY a;
INSERT INTO t (a) VALUES (1), (2);
INSERT INTO t (a, b, c) VALUES (3, 33, 'given');
SELECT * FROM t ORDER BY a;
SELECT a, b, c, d, e, f FROM t ORDER BY a;
INSERT INTO t VALUES (4, 44, 'x', NULL);
SELECT a, d, e, f FROM t WHERE a = 4;
-- error: ILLEGAL_COLUMN
INSERT INTO t (a, d) VALUES (5, 5);
SELECT name, default_kind, default_expression FROM system.columns WHERE database = currentDatabase() AND table = 't' ORDER BY position;
DESCRIBE TABLE t;
INSERT INTO t (a, b) VALUES (6, DEFAULT);
SELECT b FROM t WHERE a = 6;
CREATE TABLE now_default (a UInt8, t DateTime DEFAULT now()) ENGINE = MergeTree ORDER BY a;
INSERT INTO now_default (a) VALUES (1);
SELECT a, t > '2024-01-01 00:00:00' FROM now_default;
