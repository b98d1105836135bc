SELECT CAST(1 AS String), CAST('1' AS UInt8), 1::String, '1'::Int32 + 1, CAST(1, 'UInt16'), toTypeName(CAST(1, 'UInt16'));
SELECT CAST('2024-01-01' AS DateTime), CAST(toDate('2024-01-01') AS DateTime), CAST(1.9 AS Int32), CAST(-1 AS UInt8);
SELECT accurateCastOrNull(300, 'UInt8'), accurateCastOrNull('x', 'UInt8'), accurateCastOrDefault(300, 'UInt8'), accurateCast(200, 'UInt8');
-- error: CANNOT_CONVERT_TYPE
SELECT accurateCast(300, 'UInt8');
SELECT toTypeName(CAST(1 AS Nullable(Int64))), toTypeName(CAST('a' AS LowCardinality(String)));
-- error: CANNOT_PARSE_TEXT
SELECT CAST('abc' AS UInt8);
-- error: UNKNOWN_TYPE
SELECT CAST(1 AS NoSuchType);
SELECT CAST(true AS UInt8), CAST(2 AS Bool), toBool('true'), toBool(0), CAST('yes' AS Bool);
-- error: CANNOT_PARSE_BOOL
SELECT toBool('maybe');
SELECT CAST(1 AS INTEGER), CAST(1.5 AS DOUBLE), CAST('x' AS VARCHAR), toTypeName(CAST(1 AS BIGINT)), toTypeName(CAST('x' AS TEXT));
SELECT reinterpretAsUInt32('abcd'), reinterpretAsString(1684234849), hex(reinterpretAsFixedString(1::UInt16));
SELECT toInt32(true), toFloat64('1.5'), toString(toFloat32(0.1)), toUInt64('1e3' = '1000');
SELECT [1, 2]::Array(Float64), (1, 2)::Tuple(Int32, Int8);
SELECT toTypeName(1::Decimal(10, 2)), 1::Decimal(10, 2), '3.14159'::Decimal32(2);
SELECT toInt8OrNull('127'), toInt8OrNull('128'), toFloat64OrZero('x'), toInt64OrDefault('x', toInt64(5));
