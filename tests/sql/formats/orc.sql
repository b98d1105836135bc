INSERT INTO FUNCTION file('t.orc') SELECT number AS n, toString(number) AS s, number / 2 AS f FROM numbers(5);
SELECT * FROM file('t.orc') ORDER BY n;
DESCRIBE TABLE file('t.orc');
SELECT n, s FROM file('t.orc', ORC, 'n UInt64, s String') WHERE n > 2 ORDER BY n;
SELECT count() FROM file('t.orc');
SELECT s FROM file('t.orc', ORC) ORDER BY s DESC LIMIT 2;
-- error: CANNOT_APPEND_TO_FILE
INSERT INTO FUNCTION file('t.orc') SELECT 1 AS n, 'x' AS s, 0.5 AS f;
SELECT * FROM file('t.orc', ORC, 'n Int64, missing String') ORDER BY n LIMIT 1;
-- error: THERE_IS_NO_COLUMN
SELECT * FROM file('t.orc', ORC, 'n Int64, missing String') SETTINGS input_format_orc_allow_missing_columns = 0;
SELECT N, S FROM file('t.orc', ORC, 'N Int64, S String') ORDER BY N LIMIT 2 SETTINGS input_format_orc_case_insensitive_column_matching = 1;
SELECT N, S FROM file('t.orc', ORC, 'N Int64, S String') ORDER BY N LIMIT 1;
INSERT INTO FUNCTION file('types.orc') SELECT
    toUInt8(200) AS u8, toUInt16(60000) AS u16, toUInt32(4000000000) AS u32, toUInt64(18446744073709551615) AS u64,
    toInt8(-1) AS i8, toInt16(-2) AS i16, toInt32(-3) AS i32, toInt64(-4) AS i64,
    toFloat32(1.5) AS f32, -2.25 AS f64, true AS b, toDate('2024-02-29') AS d, toDate32('1950-05-05') AS d32,
    toDateTime('2030-01-02 03:04:05', 'UTC') AS dt, toDateTime64('2024-01-02 03:04:05.678', 3, 'UTC') AS dt3,
    toDateTime64('2024-01-02 03:04:05.678901234', 9, 'UTC') AS dt9, toFixedString('ab', 4) AS fs,
    CAST('y' AS Enum8('x' = -5, 'y' = 7)) AS e8, CAST('b' AS Enum16('a' = 1, 'b' = 1000)) AS e16,
    toDecimal32('-1.25', 2) AS d9, toDecimal64('12345678901.5', 3) AS d18, toDecimal128('-1234567890123456789012345.125', 4) AS d38,
    toNullable('text') AS ns, CAST(NULL AS Nullable(Int32)) AS nn, toLowCardinality('lc') AS lc,
    [[1, 2], []]::Array(Array(Int32)) AS aa, ['a', NULL] AS an, map('k', 1::UInt32) AS m, CAST((1, 'x') AS Tuple(a Int32, b String)) AS t;
DESCRIBE TABLE file('types.orc');
SELECT * FROM file('types.orc') FORMAT JSONEachRow;
SELECT u8, u16, u32, u64, dt, e8, e16 FROM file('types.orc', ORC, 'u8 UInt8, u16 UInt16, u32 UInt32, u64 UInt64,
    dt DateTime(\'UTC\'), e8 Enum8(\'x\' = -5, \'y\' = 7), e16 Enum16(\'a\' = 1, \'b\' = 1000)');
INSERT INTO FUNCTION file('wide.orc') SELECT toIPv4('10.1.2.3') AS ip4, toIPv6('::ffff:1') AS ip6,
    toInt128('-170141183460469231731687303715884105728') AS i128,
    toUInt256('115792089237316195423570985008687907853269984665640564039457584007913129639935') AS u256,
    toDecimal256('123456789012345678901234567890123456789012345.5', 2) AS d76;
DESCRIBE TABLE file('wide.orc');
SELECT * FROM file('wide.orc', ORC, 'ip4 IPv4, ip6 IPv6, i128 Int128, u256 UInt256, d76 Decimal(76, 2)');
-- error: ILLEGAL_COLUMN
INSERT INTO FUNCTION file('bad.orc', ORC) SELECT toIntervalDay(1) AS i;
