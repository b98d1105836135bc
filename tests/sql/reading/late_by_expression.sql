-- Sorted by what is computed of a float, with a limit: the other columns are read at the end.
CREATE TABLE fl (k UInt32, t String, u UInt32, g Float32) ENGINE = MergeTree ORDER BY u;
INSERT INTO fl SELECT number, toString(number), cityHash64(number) % 1000003, number / 3 - 10000 FROM numbers(100000);
SELECT t FROM fl ORDER BY sqrt(k) LIMIT 1;
SELECT t FROM fl ORDER BY k / 7 DESC LIMIT 3;
SELECT t, u FROM fl ORDER BY -g, k LIMIT 2;
SELECT t FROM fl ORDER BY abs(g), k LIMIT 3;
SELECT t, g FROM fl ORDER BY g * 2 DESC, k LIMIT 2;
SELECT t FROM fl ORDER BY length(t) / 2, k LIMIT 2;
SELECT t, toFloat64(k) AS f FROM fl ORDER BY f DESC LIMIT 2 OFFSET 3;
SELECT t FROM fl WHERE k % 3 = 1 ORDER BY if(k % 5 = 0, nan, k / 2) DESC LIMIT 2;
SELECT t FROM fl ORDER BY sqrt(k) LIMIT 2 BY k % 2;
