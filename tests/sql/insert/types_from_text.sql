CREATE TABLE t (i Int32, u UInt64, f Float64, d Date, t DateTime, t3 DateTime64(3), b Bool, dec Decimal(9, 3), e Enum8('x' = 1, 'y' = 2), a Array(Int32), n Nullable(Int32), u2 UUID) ENGINE = Memory;
INSERT INTO t FORMAT CSV
-5,18446744073709551615,1.5e3,2024-02-29,2024-02-29 23:59:59,2024-02-29 23:59:59.123,true,12.345,y,"[1,2,3]",\N,61f0c404-5cb3-11e7-907b-a6006ad3dba0
;
INSERT INTO t FORMAT JSONEachRow {"i": -5, "u": "5", "f": 0.5, "d": "2024-01-01", "t": "2024-01-01 00:00:00", "t3": "2024-01-01 00:00:00.5", "b": false, "dec": 1.5, "e": "x", "a": [], "n": 7, "u2": "00000000-0000-0000-0000-000000000000"};
INSERT INTO t FORMAT TSV
1	2	-inf	1970-01-01	1970-01-01 00:00:01	1970-01-01 00:00:00.001	1	-0.5	2	[]	5	00000000-0000-0000-0000-000000000001
;
SELECT * FROM t ORDER BY i, u;
SELECT * FROM t ORDER BY i, u FORMAT JSONEachRow;
SELECT * FROM t ORDER BY i, u FORMAT CSV;
SELECT sum(f), max(dec), min(t3), countIf(b) FROM t WHERE f > -1;
