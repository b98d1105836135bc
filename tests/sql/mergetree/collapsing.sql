-- CollapsingMergeTree: a row of sign -1 takes back the one of sign 1 before it.
CREATE TABLE t (k Int32, s Int8, x Int32) ENGINE = CollapsingMergeTree(s) ORDER BY k;
INSERT INTO t VALUES (1, 1, 10);
INSERT INTO t VALUES (1, -1, 10), (1, 1, 20);
SELECT * FROM t ORDER BY ALL;
SELECT * FROM t FINAL;
INSERT INTO t VALUES (2, 1, 1), (2, 1, 2), (2, 1, 3);
INSERT INTO t VALUES (3, -1, 1), (3, -1, 2), (3, 1, 3);
INSERT INTO t VALUES (4, -1, 1);
SELECT * FROM t WHERE k > 1 ORDER BY ALL;
SELECT * FROM t FINAL ORDER BY k;
SELECT count(), sum(x) FROM t FINAL;
SELECT k FROM t FINAL WHERE s = -1;
-- error: INCORRECT_DATA
INSERT INTO t VALUES (5, 0, 1);
OPTIMIZE TABLE t FINAL;
SELECT * FROM t ORDER BY ALL;

-- What each order of signs leaves.
CREATE TABLE orders (k Int32, s Int8, x Int32) ENGINE = CollapsingMergeTree(s) ORDER BY k;
INSERT INTO orders SETTINGS optimize_on_insert = 0 VALUES (1, -1, 1), (1, -1, 2), (1, -1, 3), (2, -1, 1), (2, 1, 2), (2, -1, 3), (3, -1, 1), (3, 1, 2), (4, 1, 1), (4, -1, 2), (5, 1, 1), (5, 1, 2);
SELECT * FROM orders FINAL ORDER BY k;
OPTIMIZE TABLE orders FINAL;
SELECT * FROM orders ORDER BY k, s;

-- VersionedCollapsingMergeTree: in any order, by version.
CREATE TABLE versioned (k Int32, s Int8, v UInt32, x Int32) ENGINE = VersionedCollapsingMergeTree(s, v) ORDER BY k;
SELECT sorting_key, primary_key FROM system.tables WHERE name = 'versioned';
INSERT INTO versioned VALUES (1, -1, 1, 10), (1, 1, 2, 20), (1, 1, 1, 10);
SELECT * FROM versioned;
INSERT INTO versioned VALUES (1, -1, 2, 20), (2, 1, 1, 1), (2, 1, 1, 2), (2, -1, 1, 3), (3, -1, 5, 5);
SELECT * FROM versioned FINAL ORDER BY ALL;
SELECT count() FROM versioned FINAL WHERE v = 2;
SELECT k FROM versioned FINAL WHERE x = 1;
OPTIMIZE TABLE versioned FINAL;
SELECT * FROM versioned ORDER BY ALL;
CREATE TABLE ordered (k Int32, s Int8, v UInt32) ENGINE = VersionedCollapsingMergeTree(s, v) ORDER BY (v, k);
SELECT sorting_key FROM system.tables WHERE name = 'ordered';

-- Rows keep the order in which they are given, whatever computes them.
CREATE TABLE sequence (k UInt32, s Int8, x UInt32) ENGINE = CollapsingMergeTree(s) ORDER BY k;
INSERT INTO sequence SELECT number % 10, if(intDiv(number, 10) % 2 = 0, 1, -1), intDiv(number, 20) FROM numbers(100010) ORDER BY number SETTINGS max_block_size = 1000, min_insert_block_size_rows = 3000, min_insert_block_size_bytes = 0;
SELECT k, s, x FROM sequence FINAL ORDER BY k;
OPTIMIZE TABLE sequence FINAL;
SELECT count(), sum(s), min(x) FROM sequence;
