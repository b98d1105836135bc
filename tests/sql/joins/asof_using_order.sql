CREATE TABLE a (x UInt8, k UInt8, v String) ENGINE = Memory;
CREATE TABLE b (w String, x UInt8, k UInt8) ENGINE = Memory;
INSERT INTO a VALUES (5, 1, 'p'), (6, 2, 'q');
INSERT INTO b VALUES ('r', 4, 1), ('s', 9, 2);
SELECT * FROM a ASOF JOIN b USING (k, x) ORDER BY x;
SELECT * FROM a ASOF LEFT JOIN b USING (k, x) ORDER BY x;
SELECT a.*, b.* FROM a ASOF LEFT JOIN b USING (k, x) ORDER BY a.x;
SELECT k, x, a.x, b.x, w FROM a ASOF JOIN b USING (k, x);
SELECT * FROM a ASOF LEFT JOIN b USING (k, x) ORDER BY x SETTINGS join_use_nulls = 1;
