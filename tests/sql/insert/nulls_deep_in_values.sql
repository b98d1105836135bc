-- NULL is the default of elements that cannot hold it, at any depth and beside texts of any type.
CREATE TABLE t (d Array(Date), p Array(Tuple(UInt8, Array(IPv4))), m Map(String, Array(UInt8)), n Array(Nullable(Date))) ENGINE = Memory;
INSERT INTO t VALUES ([NULL, '2020-01-01'], [(NULL, [NULL, '1.2.3.4']), (2, [])], {'k': [NULL, 1], 'l': NULL}, [NULL, '2020-01-01']);
INSERT INTO t (d) VALUES (['2020-01-01', '2020-01-02', NULL]);
SELECT * FROM t ORDER BY d;
CREATE TABLE numbers_in (a Array(Decimal(38, 30)), p Tuple(Decimal(38, 30), String)) ENGINE = Memory;
INSERT INTO numbers_in VALUES ([1.234567890123456789012345, NULL], (1.234567890123456789012345, NULL));
SELECT * FROM numbers_in;
-- Where it is no default, it is refused.
SET input_format_null_as_default = 0;
-- error: TYPE_MISMATCH
INSERT INTO t (p) VALUES ([(1, [NULL])]);
-- error: TYPE_MISMATCH
INSERT INTO t (d) VALUES (NULL);
INSERT INTO t (n) VALUES ([NULL, '2020-01-03']);
SELECT n FROM t ORDER BY n;
