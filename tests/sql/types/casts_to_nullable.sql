-- Text that is no such value is NULL where the type may be NULL.
SELECT CAST(['1', 'x'] AS Array(Nullable(UInt8))), CAST(('1', 'x') AS Tuple(UInt8, Nullable(UInt8))), CAST(map('a', 'x') AS Map(String, Nullable(UInt8))), CAST([['1', 'x']] AS Array(Array(Nullable(UInt8))));
SELECT CAST('x' AS Nullable(UInt8)), CAST(materialize('x') AS Nullable(Int128)), CAST('256' AS Nullable(UInt8)), CAST('-1' AS Nullable(UInt8)), CAST('1.5' AS Nullable(UInt8)), CAST('1x' AS Nullable(Float64));
SELECT CAST('x' AS Nullable(DateTime('UTC'))), CAST('x' AS Nullable(DateTime64(3, 'UTC'))), CAST('x' AS Nullable(Date)), CAST('x' AS Nullable(Date32)), CAST('x' AS Nullable(UUID)), CAST('x' AS Nullable(IPv4)), CAST('x' AS Nullable(IPv6));
SELECT CAST('x' AS Nullable(Decimal(76, 3))), CAST('99999999999' AS Nullable(Decimal(9, 2))), CAST('abc' AS Nullable(FixedString(2))), CAST(['xx', 'x'] AS Array(Nullable(FixedString(1)))), CAST(['1', '300', ''] AS Array(Nullable(UInt8)));
SELECT 'x'::Nullable(UInt8), accurateCast('300', 'Nullable(UInt8)'), CAST(toNullable('x') AS Nullable(UInt8)), CAST(toLowCardinality('x') AS Nullable(UInt8));
SELECT CAST(toNullable('x') AS UInt8) SETTINGS cast_keep_nullable = 1;
CREATE TABLE n (a Nullable(UInt8), b Nullable(UUID)) ENGINE = Memory;
INSERT INTO n SELECT 'x', 'y';
SELECT * FROM n;
-- error: CANNOT_PARSE_TEXT
SELECT CAST('x' AS UInt8);
-- error: CANNOT_PARSE_TEXT
SELECT CAST(['1', 'x'] AS Array(UInt8));
-- error: CANNOT_PARSE_TEXT
SELECT CAST(toFixedString('x', 1) AS Nullable(UInt8));
-- error: CANNOT_PARSE_BOOL
SELECT CAST('x' AS Nullable(Bool));
-- error: UNKNOWN_ELEMENT_OF_ENUM
SELECT CAST('x' AS Nullable(Enum8('a' = 1)));
-- error: CANNOT_PARSE_TEXT
SELECT CAST('true' AS UInt8);
-- error: CANNOT_PARSE_TEXT
SELECT toUInt8('true');
SELECT toUInt8OrNull('true'), toUInt8OrZero('true'), toInt8OrDefault('true'), CAST('true' AS Bool);
