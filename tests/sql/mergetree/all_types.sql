CREATE TABLE t (k UInt32, i8 Int8, u16 UInt16, i128 Int128, f32 Float32, f64 Float64, b Bool, d Date, d32 Date32, dt DateTime, d64 DateTime64(6), s String, fs FixedString(4), e Enum8('x' = 1, 'y' = 2), dec Decimal(18, 4), n Nullable(String), a Array(Int32), m Map(String, UInt8), tu Tuple(p Int8, q String), u UUID, ip IPv4, lc LowCardinality(String)) ENGINE = MergeTree ORDER BY k;
INSERT INTO t VALUES (1, -8, 16, -170141183460469231731687303715884105728, 1.5, 2.25, true, '2024-01-01', '1950-01-01', '2024-01-01 01:02:03', '2024-01-01 01:02:03.123456', 'text', 'abcd', 'y', 1.2345, NULL, [1, 2], {'k': 1}, (1, 'q'), '61f0c404-5cb3-11e7-907b-a6006ad3dba0', '1.2.3.4', 'lc');
INSERT INTO t (k) VALUES (2);
-- gap: gives another result
SELECT * FROM t ORDER BY k FORMAT Vertical;
SELECT toTypeName(i128), toTypeName(d64), toTypeName(tu), toTypeName(m) FROM t WHERE k = 1;
OPTIMIZE TABLE t FINAL;
SELECT * FROM t ORDER BY k FORMAT TSV;
SELECT k FROM t WHERE e = 'y' AND dec > 1 AND b AND d = '2024-01-01' AND has(a, 2) AND m['k'] = 1 AND tu.q = 'q';
SELECT k FROM t WHERE n IS NULL AND ip = toIPv4('1.2.3.4');
SELECT name, type FROM system.columns WHERE database = currentDatabase() AND table = 't' ORDER BY position;
