SELECT * FROM values((1, 'a'), (2, 'b')) ORDER BY c1;
SELECT * FROM values(1, 2, 3) ORDER BY c1;
SELECT toTypeName(c1), c1 FROM values(1, -2, 300) ORDER BY c1;
SELECT toTypeName(c1), toTypeName(c2), * FROM values((1, NULL), (300, 'b')) ORDER BY c1;
SELECT toTypeName(c1), c1 FROM values('a', NULL) ORDER BY c1;
-- error: CANNOT_EXTRACT_TABLE_STRUCTURE
SELECT * FROM values((1, 'a'), 2);
-- error: NO_COMMON_TYPE
SELECT * FROM values((1, 'a'), (2, 3));
SELECT * FROM values('x UInt8', 1, 2) ORDER BY x;
SELECT * FROM values('x UInt8');
SELECT * FROM values('foo', 'bar') ORDER BY c1;
SELECT * FROM values(1 + 1, 3) ORDER BY c1;
SELECT * FROM values([1], [2, 3]) ORDER BY c1;
SELECT * FROM values('a Array(UInt8), s String', ([1], 'it''s'), ([2, 3], 'back\\slash')) ORDER BY a;
SELECT * FROM values('a Array(UInt8)', [1], [2, 3]) ORDER BY a;
SELECT * FROM values('d Date, n Nullable(UInt8)', ('2020-01-01', NULL), (toDate('2021-02-03'), 5)) ORDER BY d;
SELECT hex(s) FROM values('s String', '\xff\x00a');
SELECT toTypeName(c1), c1 FROM values(1, 2.5) ORDER BY c1;
-- error: TOO_FEW_ARGUMENTS_FOR_FUNCTION
SELECT * FROM values();
DESCRIBE TABLE values((1, 'a'), (2, 'b'))
