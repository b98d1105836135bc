-- Text that cannot be read is NULL where a conversion to a Nullable type is asked for.
SELECT CAST('abc' AS Nullable(UInt8)), 'abc'::Nullable(Float64), CAST(materialize('x') AS Nullable(Date)), CAST('x' AS Nullable(DateTime)), CAST('x' AS Nullable(DateTime64(3)));
SELECT CAST('300' AS Nullable(UInt8)), CAST('-1' AS Nullable(UInt8)), CAST('1.5' AS Nullable(UInt8)), CAST(' 1' AS Nullable(UInt8)), CAST('x' AS Nullable(UUID)), CAST('x' AS Nullable(Decimal(9, 2))), CAST('x' AS Nullable(Int256)), CAST('x' AS Nullable(IPv4));
SELECT CAST(['1', 'x'] AS Array(Nullable(UInt8))), CAST(('x', '1') AS Tuple(Nullable(UInt8), UInt8)), CAST(toNullable('abc') AS Nullable(UInt8)), accurateCast('x', 'Nullable(UInt8)');
SELECT CAST('2024-1-2' AS Nullable(DateTime('UTC'))), CAST('2 Jan 2024' AS Nullable(DateTime('UTC'))), CAST('255' AS Nullable(DateTime('UTC'))), CAST('2024-01-02T03:04:05Z' AS Nullable(Date));
SELECT CAST('' AS Nullable(UInt8)), CAST('NULL' AS Nullable(UInt8)), CAST('7' AS Nullable(UInt8));
-- error: UNKNOWN_ELEMENT_OF_ENUM
SELECT CAST('x' AS Nullable(Enum8('a' = 1)));
-- error: CANNOT_PARSE_BOOL
SELECT CAST('x' AS Nullable(Bool));
-- error: CANNOT_PARSE_TEXT
SELECT CAST(toFixedString('x', 3) AS Nullable(UInt8));
-- error: CANNOT_PARSE_TEXT
SELECT CAST('abc' AS UInt8);
-- error: CANNOT_PARSE_TEXT
SELECT CAST(toNullable('abc') AS UInt8);
-- error: TYPE_MISMATCH
SELECT materialize(toNullable(5)) = 'abc';
-- error: CANNOT_PARSE_DATE
SELECT materialize(toNullable(toDate('2024-01-02'))) = 'x';
-- error: TYPE_MISMATCH
SELECT materialize(toNullable(5)) IN ('abc');
