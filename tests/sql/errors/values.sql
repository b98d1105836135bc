-- error: CANNOT_PARSE_TEXT
SELECT toUInt8('x');
-- error: CANNOT_PARSE_TEXT
SELECT toDate('2024-13-45x');
-- error: ATTEMPT_TO_READ_AFTER_EOF
SELECT toInt32('');
-- error: ILLEGAL_DIVISION
SELECT intDiv(1, 0);
-- error: ARGUMENT_OUT_OF_BOUND
SELECT toDecimal64('9', 17) * toDecimal64('9', 17);
-- error: TOO_LARGE_STRING_SIZE
SELECT toFixedString('abc', 2);
-- error: TOO_LARGE_STRING_SIZE
SELECT repeat('x', 100000000000);
-- error: ARGUMENT_OUT_OF_BOUND
SELECT range(1000000000000);
-- error: UNKNOWN_ELEMENT_OF_ENUM
SELECT CAST('c' AS Enum8('a' = 1));
-- error: CANNOT_PARSE_DATE
SELECT toDate('2024-01-01') = 'not a date';
-- error: ILLEGAL_TYPE_OF_ARGUMENT
SELECT toDate('2024-01-01') + toDate('2024-01-01');
-- error: ILLEGAL_TYPE_OF_ARGUMENT
SELECT [1] + 'a';
-- error: NO_COMMON_TYPE
SELECT greatest('a', 1);
-- error: ARGUMENT_OUT_OF_BOUND
SELECT toDecimal32(1, 20);
-- error: BAD_ARGUMENTS
SELECT toDateTime('2024-01-01 00:00:00', 'No/Zone');
