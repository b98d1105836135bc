-- A star among operators, and as keys.
SELECT * + * FROM values('a UInt16', 1, 10);
SELECT * % 2 AS odd, count() FROM numbers(5) WHERE * > 0 GROUP BY odd ORDER BY odd;
SELECT a, count() FROM values('a UInt8, b UInt8', (1, 2), (1, 2), (1, 3)) GROUP BY * ORDER BY a, count();
SELECT * FROM numbers(3) ORDER BY * DESC;
-- error: NOT_IMPLEMENTED
SELECT * FROM values('a UInt8, b UInt8', (1, 2)) ORDER BY *;
