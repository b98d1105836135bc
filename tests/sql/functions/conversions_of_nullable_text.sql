-- Text that may be NULL and cannot be read is NULL, but for some types.
SELECT toUInt8(toNullable('abc')), toUInt8(toNullable('300')), toUInt8(toNullable('')), toUInt8(toNullable('1a')), toUInt8(toNullable('12'));
SELECT toUInt8(materialize(toNullable('abc'))), toInt32(if(number = 1, NULL, 'x')) FROM numbers(2);
SELECT toInt128(toNullable('abc')), toInt256(toNullable('abc')), toUInt256(toNullable('-1')), toBFloat16(toNullable('x')), toFloat32(toNullable('')), toFloat64(toNullable('1e'));
SELECT toDecimal32(toNullable('abc'), 2), toDecimal64(toNullable('abc'), 2), toDecimal256(toNullable('1.5'), 1), toDecimal32(toNullable('12345678901234'), 2);
SELECT toDate(toNullable('abc')), toDate(toNullable('')), toDate32(toNullable('abc')), toDateTime(toNullable('abc')), toDateTime(toNullable('abc'), 'UTC'), toDateTime32(toNullable('abc')), DATE(toNullable('abc')), toTime(toNullable('abc'));
SELECT toUUID(toNullable('abc')), toIPv4(toNullable('abc')), toIPv6(toNullable('abc')), toIPv4(toNullable('1.2.3.4'));
SELECT toIntervalDay(toNullable('abc')), toIntervalSecond(toNullable('5')), toIntervalMonth(toNullable('x'));
SELECT toUInt8(toLowCardinality(toNullable('abc'))), toTypeName(toUInt8(toNullable('1'))), toYYYYMM(toDate(toNullable('x')));
SELECT toDateTime(toNullable('2024-01-01')), toDateTime(toNullable('1700000000')), toDateTime(toNullable('2024-01-01 10:00:00')), toUInt8(NULL), toUInt8(toNullable(300));
SELECT toUInt8(if(number = 1, NULL, toString(number))) FROM numbers(3);
-- error: CANNOT_PARSE_TEXT
SELECT toUInt8('abc');
-- error: CANNOT_PARSE_BOOL
SELECT toBool(toNullable('abc'));
-- error: CANNOT_PARSE_DATETIME
SELECT toDateTime64(toNullable('abc'), 3);
-- error: TOO_LARGE_STRING_SIZE
SELECT toFixedString(toNullable('abc'), 2);
-- error: CANNOT_PARSE_TEXT
SELECT CAST(toNullable('abc') AS UInt8);
SELECT CAST(toNullable('abc') AS Nullable(UInt8));
