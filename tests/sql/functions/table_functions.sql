SELECT * FROM numbers(3);
SELECT * FROM numbers(2, 3);
SELECT * FROM numbers(0, 10, 4);
SELECT count(), max(number) FROM numbers_mt(1000);
SELECT dummy FROM system.one;
SELECT number FROM system.numbers LIMIT 3;
SELECT count() FROM null('a UInt8');
SELECT * FROM values('a UInt8, b String', (1, 'x'), (2, 'y')) ORDER BY a;
SELECT * FROM VALUES('a UInt8', 1, 2, 3) ORDER BY a;
SELECT * FROM format(CSV, 'a Int32, b String', '1,x\n2,y') ORDER BY a;
SELECT * FROM format(JSONEachRow, '{"a": 1}\n{"a": 2}') ORDER BY a;
DESCRIBE TABLE format(JSONEachRow, '{"a": 1, "b": "x", "c": [1.5]}');
DESCRIBE TABLE numbers(1);
SELECT toTypeName(a), toTypeName(b) FROM generateRandom('a UInt32, b Array(String)') LIMIT 1;
SELECT generate_series FROM generate_series(1, 5, 2);
SELECT * FROM zeros(2);
-- error: UNKNOWN_FUNCTION
SELECT * FROM noSuchTableFunction(1);
SELECT * FROM numbers() LIMIT 2;
-- error: NUMBER_OF_ARGUMENTS_DOESNT_MATCH
SELECT * FROM numbers(1, 2, 3, 4);
INSERT INTO FUNCTION null('a UInt8') SELECT 1;
