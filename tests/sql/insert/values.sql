CREATE TABLE t (a Int32, b String, c Nullable(Float64), d Date) ENGINE = Memory;
INSERT INTO t VALUES (1, 'one', 1.5, '2024-01-01'), (2, 'it''s', NULL, '2024-01-02');
INSERT INTO t VALUES (3, 'a\tb\\c\nd', 1e3, '2024-01-03') (4, '', -0.5, '2024-01-04');
INSERT INTO t VALUES (1 + 4, concat('x', 'y'), 1 / 4, toDate('2024-01-05'));
INSERT INTO t (b, a) VALUES ('only', 6);
INSERT INTO t (* EXCEPT (c)) VALUES (7, 'except', '2024-01-07');
SELECT * FROM t ORDER BY a;
-- error: SYNTAX_ERROR
INSERT INTO t VALUES (8, 'few');
-- error: CANNOT_PARSE_TEXT
INSERT INTO t VALUES ('not a number', 'x', 1, '2024-01-01');
-- error: NO_SUCH_COLUMN_IN_TABLE
INSERT INTO t (nope) VALUES (1);
SELECT count() FROM t;
INSERT INTO t VALUES (10, 'NULL as default', NULL, NULL);
SELECT * FROM t WHERE a = 10;
INSERT INTO TABLE t VALUES (11, 'table', 1, '2024-01-11');
SELECT a FROM t WHERE b = 'table';
