-- A FixedString keeps the zeros that fill it up where a String may stand in its place.
CREATE TABLE fixed (id UInt8, f FixedString(3), n Nullable(FixedString(3)), s String) ENGINE = Memory;
INSERT INTO fixed VALUES (1, 'a', 'a', 'x'), (2, '', '', ''), (3, 'abc', NULL, 'y');
SELECT hex(coalesce(n, s)), hex(ifNull(n, s)), hex(coalesce(n, f)), hex(coalesce(NULL, n, s)), hex(ifNull(n, 'b')) FROM fixed ORDER BY id;
SELECT min(coalesce(n, s)), max(ifNull(n, s)), toTypeName(any(coalesce(n, s))), toTypeName(any(coalesce(n, f))) FROM fixed;
SELECT coalesce(n, s) AS c, count() FROM fixed GROUP BY c ORDER BY c;
SELECT hex(coalesce(n, toNullable(s))), hex(ifNull(n, toNullable(s))) FROM fixed ORDER BY id;
