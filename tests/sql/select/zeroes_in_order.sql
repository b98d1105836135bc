CREATE TABLE z (f Float64, v UInt8, g Nullable(Float32)) ENGINE = Memory;
INSERT INTO z VALUES (0, 1, 0), (-0., 0, -0.), (0, 2, 0), (-0., 3, -0.), (1, 4, NULL), (-1, 5, nan);
SELECT v FROM z ORDER BY f, v;
SELECT v FROM z ORDER BY f DESC, v;
SELECT v FROM z ORDER BY g, v LIMIT 3;
SELECT v, rank() OVER (ORDER BY f), count() OVER (ORDER BY f), dense_rank() OVER (ORDER BY g DESC) FROM z ORDER BY v;
SELECT f, v, sum(v) OVER (ORDER BY f RANGE BETWEEN 1 PRECEDING AND CURRENT ROW) FROM z ORDER BY v;
