-- `number::Type` reads the digits of the number as text.
SELECT 1::UInt8, 1.5::Float32, 'a'::String, (1+1)::UInt8, NULL::Nullable(Int8), 1.50::Decimal(9,2), 007::UInt8, 1e3::Float64, 18446744073709551616::UInt128 FORMAT TSVWithNamesAndTypes;
SELECT 0.1::Decimal(38, 20), 123456789012345678901234567890.5::Decimal(76, 3), 1::Bool, 0::Bool;
SELECT 1700000000::DateTime('UTC'), 1700000000.25::DateTime64(2, 'UTC'), 20240102::Date, 1::String, 1.50::String, 5::FixedString(2);
SELECT toTypeName(-1::Int8), -1::Int8, -1.5::Float32, -5::Int16 + 1, [1]::Array(UInt8), 1::LowCardinality(String);
SELECT 2::Enum8('a' = 1, 'b' = 2), 0x10 + 1;
-- error: CANNOT_PARSE_TEXT
SELECT 1.5::UInt8;
-- error: CANNOT_PARSE_DATETIME
SELECT 12345::DateTime('UTC');
SELECT 256::UInt8, 300::Int8, -128::Int8;
-- error: CANNOT_PARSE_NUMBER
SELECT -1::UInt8;
SELECT 2024::DateTime('UTC'), CAST(2024, 'DateTime(\'UTC\')'), CAST('202402', 'DateTime(\'UTC\')'), CAST('20240203040506', 'DateTime(\'UTC\')');
