-- ReplacingMergeTree: the last row of the greatest version of each key.
CREATE TABLE plain (k Int32, s String) ENGINE = ReplacingMergeTree ORDER BY k;
INSERT INTO plain VALUES (1, 'a'), (2, 'b'), (1, 'c');
SELECT * FROM plain ORDER BY ALL;
INSERT INTO plain VALUES (2, 'd'), (3, 'e');
SELECT * FROM plain ORDER BY ALL;
SELECT * FROM plain FINAL ORDER BY k;
OPTIMIZE TABLE plain FINAL;
SELECT * FROM plain ORDER BY k;
SELECT name, rows, level FROM system.parts WHERE table = 'plain' AND active;

-- Versions.
CREATE TABLE versions (k Int32, v UInt64, s String) ENGINE = ReplacingMergeTree(v) ORDER BY k;
INSERT INTO versions VALUES (1, 3, 'three'), (2, 1, 'one');
INSERT INTO versions VALUES (1, 2, 'two'), (2, 1, 'one again');
SELECT * FROM versions FINAL ORDER BY k;
SELECT s FROM versions FINAL WHERE s LIKE '%o%' ORDER BY s;
SELECT count() FROM versions FINAL;
SELECT count() FROM versions FINAL WHERE s = 'two';
SELECT k, s FROM versions FINAL WHERE k = 2;
SELECT max(v), sum(k) FROM versions FINAL;
OPTIMIZE TABLE versions FINAL;
SELECT * FROM versions ORDER BY k;

-- Without optimize_on_insert blocks stay as they are until they are merged.
CREATE TABLE raw (k Int32, v DateTime64(3, 'UTC'), s String) ENGINE = ReplacingMergeTree(v) ORDER BY k;
INSERT INTO raw SETTINGS optimize_on_insert = 0 VALUES (1, '2024-01-01 00:00:00.002', 'later'), (1, '2024-01-01 00:00:00.001', 'sooner');
SELECT s FROM raw ORDER BY s;
SELECT s FROM raw FINAL;
SELECT name, level FROM system.parts WHERE table = 'raw' AND active;

-- Deleted keys.
CREATE TABLE deleted (k Int32, v UInt32, d UInt8) ENGINE = ReplacingMergeTree(v, d) ORDER BY k;
INSERT INTO deleted VALUES (1, 1, 0), (2, 1, 0), (3, 1, 0);
INSERT INTO deleted VALUES (1, 2, 1), (2, 0, 1);
SELECT * FROM deleted FINAL ORDER BY k;
SELECT count() FROM deleted FINAL WHERE k < 3;
OPTIMIZE TABLE deleted FINAL;
SELECT * FROM deleted ORDER BY k;
INSERT INTO deleted VALUES (1, 3, 0);
SELECT * FROM deleted FINAL ORDER BY k;
-- error: INCORRECT_DATA
INSERT INTO deleted VALUES (5, 1, 7);
-- error: SUPPORT_IS_DISABLED
OPTIMIZE TABLE deleted FINAL CLEANUP;

CREATE TABLE cleaned (k Int32, v UInt32, d UInt8) ENGINE = ReplacingMergeTree(v, d) ORDER BY k SETTINGS allow_experimental_replacing_merge_with_cleanup = 1;
INSERT INTO cleaned VALUES (1, 1, 0), (2, 1, 0), (3, 1, 1);
INSERT INTO cleaned VALUES (1, 2, 1);
OPTIMIZE TABLE cleaned FINAL CLEANUP;
SELECT * FROM cleaned ORDER BY k;

-- Everything is one key.
CREATE TABLE one (a Int32, s String) ENGINE = ReplacingMergeTree ORDER BY tuple();
INSERT INTO one VALUES (1, 'x'), (2, 'y');
INSERT INTO one VALUES (3, 'z');
SELECT * FROM one FINAL;

-- Keys that are expressions, descending, and of several columns.
CREATE TABLE expression (t DateTime('UTC'), id UInt32, s String) ENGINE = ReplacingMergeTree ORDER BY (toDate(t), id);
INSERT INTO expression VALUES ('2024-01-01 10:00:00', 1, 'a'), ('2024-01-01 12:00:00', 1, 'b'), ('2024-01-02 10:00:00', 1, 'c');
INSERT INTO expression VALUES ('2024-01-01 11:00:00', 1, 'd');
SELECT * FROM expression FINAL ORDER BY ALL;
SELECT s FROM expression FINAL WHERE t = '2024-01-01 12:00:00';
SELECT s FROM expression FINAL WHERE id = 1 AND t >= '2024-01-02 00:00:00';
