-- WITH may stand before INSERT: its names are those of the SELECT.
CREATE TABLE t (a UInt8, b UInt8) ENGINE = MergeTree ORDER BY a;
WITH 6 AS x INSERT INTO t SELECT x, x;
WITH x AS (SELECT number AS n FROM numbers(3)), 7 AS y INSERT INTO t (b, a) SELECT n, y FROM x;
INSERT INTO t WITH 5 AS x SELECT x, x;
SELECT * FROM t ORDER BY a, b;
