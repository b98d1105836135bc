CREATE TABLE d (k UInt32, a UInt32 DEFAULT k + 1, b UInt32 MATERIALIZED a * 2, c UInt32 ALIAS b + 1, e UInt32 EPHEMERAL 5, f UInt32 DEFAULT e + 1) ENGINE = MergeTree ORDER BY k;
INSERT INTO d (k) VALUES (1);
INSERT INTO d (k, e) VALUES (2, 10);
INSERT INTO d VALUES (3, 7, 9);
-- error: ILLEGAL_COLUMN
INSERT INTO d (k, b) VALUES (4, 1);
-- error: NO_SUCH_COLUMN_IN_TABLE
INSERT INTO d (k, c) VALUES (4, 1);
INSERT INTO d (* EXCEPT(a)) VALUES (5, 6);
SELECT * FROM d ORDER BY k;
SELECT *, b, c FROM d ORDER BY k;
-- error: NO_SUCH_COLUMN_IN_TABLE
SELECT e FROM d;
SELECT * FROM d ORDER BY k SETTINGS asterisk_include_materialized_columns = 1, asterisk_include_alias_columns = 1;
SELECT d.* FROM d ORDER BY k LIMIT 1;
SELECT c FROM d WHERE c > 5 ORDER BY c;
SELECT count() FROM d WHERE b = 4 AND c = 5;
DESCRIBE TABLE d;
SHOW CREATE TABLE d;
INSERT INTO d SELECT * FROM d;
SELECT count(), sum(b) FROM d;
INSERT INTO d (k, a) FORMAT JSONEachRow {"k": 9, "a": 3};
SELECT k, a, b, c, f FROM d WHERE k >= 9 ORDER BY k;
SELECT x.c, d.b FROM d AS x JOIN d ON x.k = d.k WHERE x.k = 9;
SELECT k FROM d PREWHERE c > 13 WHERE b > 1 ORDER BY k LIMIT 1;
-- error: CANNOT_PARSE_TEXT
CREATE TABLE w (a UInt8 DEFAULT 'abc') ENGINE = Memory;
CREATE TABLE w (a DEFAULT 1, b DEFAULT now(), c MATERIALIZED a + 1) ENGINE = Memory;
DESCRIBE TABLE w;
-- error: CYCLIC_ALIASES
CREATE TABLE y (a UInt8 DEFAULT b, b UInt8 DEFAULT a) ENGINE = Memory;
CREATE TABLE source (k UInt32, v String) ENGINE = MergeTree ORDER BY k;
INSERT INTO source VALUES (1, 'a'), (2, 'b');
CREATE TABLE e (k UInt32, raw String EPHEMERAL, n UInt8 DEFAULT length(raw), v String MATERIALIZED upper(raw)) ENGINE = MergeTree ORDER BY k;
INSERT INTO e (k, raw) SELECT k, repeat(v, k) FROM source;
SELECT *, v FROM e ORDER BY k;
