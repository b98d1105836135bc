-- FINAL in every place that a table stands in.
CREATE TABLE t (k Int32, v UInt64, s String) ENGINE = ReplacingMergeTree(v) ORDER BY k;
INSERT INTO t VALUES (1, 1, 'a'), (2, 1, 'c');
INSERT INTO t VALUES (1, 2, 'b'), (3, 1, 'd');
CREATE TABLE m (k Int32) ENGINE = MergeTree ORDER BY k;
CREATE VIEW vw AS SELECT * FROM t;
SELECT * FROM t FINAL ORDER BY k;
SELECT a.s FROM t AS a FINAL ORDER BY a.k;
SELECT a.s FROM t a FINAL ORDER BY a.k;
SELECT count() FROM default.t FINAL;
SELECT t.k, u.s FROM t FINAL JOIN t AS u ON t.k = u.k ORDER BY ALL;
SELECT t.k, u.s FROM t JOIN t AS u FINAL ON t.k = u.k ORDER BY ALL;
SELECT count() FROM t FINAL, t AS u FINAL;
SELECT k FROM t WHERE s IN (SELECT s FROM t FINAL) ORDER BY k;
SELECT * FROM (SELECT k, s FROM t FINAL WHERE v > 1) ORDER BY k;
WITH c AS (SELECT * FROM t FINAL) SELECT count() FROM c;
SELECT k, s FROM t FINAL PREWHERE k < 3 WHERE s != 'a' ORDER BY k;
SELECT s FROM t FINAL GROUP BY s HAVING count() = 1 ORDER BY s LIMIT 2;
SELECT * FROM (SELECT s FROM t FINAL UNION ALL SELECT s FROM t) ORDER BY s;
SELECT k FROM t FINAL ORDER BY k DESC LIMIT 1;
SELECT _part, k FROM t FINAL ORDER BY k;
-- A part that is chosen by name is read alone.
SELECT count() FROM t FINAL WHERE _part = 'all_1_1_1';
SELECT count() FROM t FINAL WHERE _partition_id = 'all';

-- The setting.
SELECT count() FROM t SETTINGS final = 1;
SELECT count() FROM m SETTINGS final = 1;
SELECT count() FROM vw SETTINGS final = 1;
SELECT count() FROM vw FINAL;
SELECT count() FROM t;

-- Where it means nothing.
-- error: ILLEGAL_FINAL
SELECT * FROM m FINAL;
-- error: ILLEGAL_FINAL
SELECT * FROM numbers(3) FINAL;
-- error: UNSUPPORTED_METHOD
SELECT count() FROM (SELECT * FROM t) FINAL;
-- error: UNSUPPORTED_METHOD
WITH c AS (SELECT * FROM t) SELECT * FROM c FINAL;
-- error: SYNTAX_ERROR
SELECT a.k FROM t FINAL AS a;
-- error: UNKNOWN_TABLE
SELECT * FROM missing FINAL;
SELECT 1 AS final FROM t LIMIT 1;

-- Rows of one key in several partitions.
CREATE TABLE p (k Int32, p Int32, x Int32) ENGINE = ReplacingMergeTree ORDER BY k PARTITION BY p;
INSERT INTO p VALUES (1, 2, 10);
INSERT INTO p VALUES (1, 1, 20), (2, 1, 5);
INSERT INTO p VALUES (1, 3, 30);
SELECT * FROM p FINAL ORDER BY k;
SELECT * FROM p FINAL WHERE p = 1 ORDER BY k;
SELECT * FROM p FINAL WHERE x = 10;
SELECT * FROM p FINAL ORDER BY k, p SETTINGS do_not_merge_across_partitions_select_final = 1;
SELECT * FROM p FINAL WHERE p = 2 SETTINGS do_not_merge_across_partitions_select_final = 1;
CREATE TABLE within (d Date, k Int32, x Int32) ENGINE = ReplacingMergeTree ORDER BY (d, k) PARTITION BY toYYYYMM(d);
INSERT INTO within VALUES ('2024-01-01', 1, 1), ('2024-02-01', 1, 1);
INSERT INTO within VALUES ('2024-01-01', 1, 2), ('2024-02-01', 2, 3);
SELECT * FROM within FINAL ORDER BY ALL;
SELECT sum(x) FROM within FINAL WHERE d >= '2024-02-01';

-- Many rows in many granules.
CREATE TABLE many (id UInt64, v UInt32, s String) ENGINE = ReplacingMergeTree(v) ORDER BY id SETTINGS index_granularity = 128;
INSERT INTO many SELECT number, 1, toString(number) FROM numbers(20000);
INSERT INTO many SELECT number * 3, 2, 'three' FROM numbers(5000);
INSERT INTO many SELECT number + 15000, 3, 'late' FROM numbers(10000);
SELECT count(), sum(v), countIf(s = 'three'), countIf(s = 'late'), min(id), max(id) FROM many FINAL;
SELECT id, v, s FROM many FINAL WHERE id IN (0, 1, 14999, 15000, 24999) ORDER BY id;
SELECT count() FROM many FINAL WHERE id BETWEEN 1000 AND 2000 AND s = 'three';
SELECT count() FROM many FINAL WHERE s = '3';
SELECT s, count() FROM many FINAL GROUP BY s ORDER BY count() DESC, s LIMIT 2;
SELECT count() FROM many FINAL SETTINGS max_threads = 1;
SELECT count() FROM many FINAL SETTINGS max_final_threads = 1;
OPTIMIZE TABLE many FINAL;
SELECT count(), sum(v), countIf(s = 'three'), countIf(s = 'late') FROM many;
