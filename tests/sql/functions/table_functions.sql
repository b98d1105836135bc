SELECT * FROM numbers(3);
SELECT * FROM numbers(2, 3);
SELECT * FROM numbers(0, 10, 4);
SELECT count(), max(number) FROM numbers_mt(1000);
SELECT * FROM one();
SELECT dummy FROM system.one;
SELECT number FROM system.numbers LIMIT 3;
SELECT count() FROM null('a UInt8');
SELECT * FROM values('a UInt8, b String', (1, 'x'), (2, 'y')) ORDER BY a;
SELECT * FROM VALUES('a UInt8', 1, 2, 3) ORDER BY a;
SELECT * FROM format(CSV, 'a Int32, b String', '1,x\n2,y') ORDER BY a;
SELECT * FROM format(JSONEachRow, '{"a": 1}\n{"a": 2}') ORDER BY a;
DESCRIBE TABLE format(JSONEachRow, '{"a": 1, "b": "x", "c": [1.5]}');
DESCRIBE TABLE numbers(1);
SELECT count(), uniqExact(a) > 1 FROM generateRandom('a UInt32, b String', 1, 5, 2) LIMIT 1 FORMAT Null;
SELECT toTypeName(a), toTypeName(b) FROM generateRandom('a UInt32, b Array(String)') LIMIT 1;
SELECT generate_series FROM generate_series(1, 5, 2);
SELECT * FROM zeros(2);
-- error: UNKNOWN_FUNCTION
SELECT * FROM noSuchTableFunction(1);
-- error: NUMBER_OF_ARGUMENTS_DOESNT_MATCH
SELECT * FROM numbers();
INSERT INTO FUNCTION null('a UInt8') SELECT 1;
