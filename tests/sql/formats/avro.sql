INSERT INTO FUNCTION file('t.avro') SELECT number AS n, toString(number) AS s, number / 2 AS f FROM numbers(5);
SELECT * FROM file('t.avro') ORDER BY n;
DESCRIBE TABLE file('t.avro');
SELECT n, s FROM file('t.avro', Avro, 'n UInt64, s String') WHERE n > 2 ORDER BY n;
SELECT count() FROM file('t.avro');
SELECT s FROM file('t.avro', Avro) ORDER BY s DESC LIMIT 2;
SELECT sum(n) FROM file('t.avro', Avro, 'n Int32');
-- error: CANNOT_APPEND_TO_FILE
INSERT INTO FUNCTION file('t.avro') SELECT 1 AS n, 'x' AS s, 0.5 AS f;
-- error: THERE_IS_NO_COLUMN
SELECT * FROM file('t.avro', Avro, 'n Int64, missing String');
SELECT * FROM file('t.avro', Avro, 'n Int64, missing String') ORDER BY n LIMIT 1 SETTINGS input_format_avro_allow_missing_fields = 1;
INSERT INTO FUNCTION file('types.avro') SELECT
    toUInt8(200) AS u8, toUInt16(60000) AS u16, toUInt32(4000000000) AS u32, toUInt64(18446744073709551615) AS u64,
    toInt8(-1) AS i8, toInt16(-2) AS i16, toInt32(-3) AS i32, toInt64(-4) AS i64,
    toFloat32(1.5) AS f32, -2.25 AS f64, true AS b, toDate('2024-02-29') AS d, toDate32('1950-05-05') AS d32,
    toDateTime('2030-01-02 03:04:05', 'UTC') AS dt, toDateTime64('2024-01-02 03:04:05.678', 3, 'UTC') AS dt3,
    toDateTime64('1960-01-02 03:04:05.678901', 6, 'UTC') AS dt6, toFixedString('ab', 4) AS fs,
    CAST('y' AS Enum8('x' = -5, 'y' = 7)) AS e8, CAST('b' AS Enum16('a' = 1, 'b' = 1000)) AS e16,
    toUUID('01234567-89ab-cdef-0123-456789abcdef') AS id, toDecimal32('-1.25', 2) AS d9, toDecimal64('12345678901.5', 3) AS d18,
    toDecimal128('-1234567890123456789012345.125', 4) AS dd38, toDecimal256('123456789012345678901234567890123456789012345.5', 2) AS d76,
    toNullable('text') AS ns, CAST(NULL AS Nullable(Int32)) AS nn, toLowCardinality('lc') AS lc,
    [[1, 2], []]::Array(Array(Int32)) AS aa, ['a', NULL] AS an, map('k', 1::UInt32) AS m, CAST((1, 'x') AS Tuple(a Int32, b String)) AS t,
    toIPv4('10.1.2.3') AS ip4, toIPv6('::ffff:1') AS ip6, toInt128('-170141183460469231731687303715884105728') AS i128,
    toUInt256('115792089237316195423570985008687907853269984665640564039457584007913129639935') AS u256;
DESCRIBE TABLE file('types.avro');
SELECT * FROM file('types.avro') FORMAT JSONEachRow;
SELECT u8, u16, u32, u64, dt, e8, e16, ip4, i128, u256, ip6 FROM file('types.avro', Avro, 'u8 UInt8, u16 UInt16, u32 UInt32, u64 UInt64,
    dt DateTime(\'UTC\'), e8 Enum8(\'x\' = -5, \'y\' = 7), e16 Enum16(\'a\' = 1, \'b\' = 1000), ip4 IPv4, i128 Int128, u256 UInt256, ip6 IPv6');
SELECT e8, id, fs, d9 FROM file('types.avro', Avro, 'e8 String, id UUID, fs String, d9 Decimal(9, 2)');
INSERT INTO FUNCTION file('more.avro') SELECT toDateTime64('2024-01-01 00:00:00.123456789', 9, 'UTC') AS t, map(1, 2, 3, 4) AS m, map([toDate('2024-01-01')], (1, 'x')) AS md, toLowCardinality(toNullable('a')) AS l, toFixedString('x', 1) AS f;
DESCRIBE TABLE file('more.avro');
SELECT * FROM file('more.avro');
SELECT * FROM file('more.avro', Avro, 't DateTime64(9, \'UTC\'), m Map(UInt8, UInt64)');
-- error: AVRO_EXCEPTION
INSERT INTO FUNCTION file('bad.avro', Avro) SELECT 1 AS `a b`;
-- error: AVRO_EXCEPTION
INSERT INTO FUNCTION file('bad2.avro', Avro) SELECT CAST('x y' AS Enum8('x y' = 1)) AS e;
-- error: ILLEGAL_COLUMN
INSERT INTO FUNCTION file('bad5.avro', Avro) SELECT toIntervalDay(1) AS i;
-- error: ILLEGAL_COLUMN
INSERT INTO FUNCTION file('bad6.avro', Avro) SELECT toBFloat16(1) AS b;
-- error: BAD_ARGUMENTS
INSERT INTO FUNCTION file('bad3.avro') SELECT 1 AS a SETTINGS output_format_avro_codec = 'best';
-- error: CANNOT_COMPILE_REGEXP
INSERT INTO FUNCTION file('bad4.avro') SELECT 1 AS a SETTINGS output_format_avro_string_column_pattern = '(';
