-- error: ILLEGAL_DIVISION
SELECT kqlBin(4.5, 1) AS x, toTypeName(x), kqlBin(7, 2) AS y, toTypeName(y), kqlBin(-7, 2), kqlBin(7, -2), kqlBin(7, 0) AS z, toTypeName(z);
SELECT kqlBin(7.5, 0), kqlBin(7, 2.5) AS y, toTypeName(y), kqlBin(toDecimal32(7.55, 2), toDecimal32(0.5, 1)) AS z, toTypeName(z);
SELECT kqlBin(toUInt64(18446744073709551615), 10) AS y, toTypeName(y);
SELECT kqlBin(toInt8(-128), toInt8(7)) AS y, toTypeName(y);
SELECT kqlBin(toUInt8(200), toUInt8(7)) AS y, toTypeName(y);
SELECT kqlBin(NULL, 1) AS y, toTypeName(y);
SELECT kqlBin(toNullable(5), 2) AS y, toTypeName(y);
SELECT kqlBin(toIntervalDay(16), toIntervalDay(7)) AS y, toTypeName(y);
SELECT kqlBin(toIntervalDay(16), toIntervalHour(7)) AS y, toTypeName(y);
-- error: ILLEGAL_DIVISION
SELECT kqlBin(toIntervalDay(16), toIntervalHour(0)) AS y, toTypeName(y);
-- error: ILLEGAL_TYPE_OF_ARGUMENT
SELECT kqlBin(toIntervalMonth(16), toIntervalHour(7)) AS y, toTypeName(y);
SELECT kqlBin(toIntervalDay(-16), toIntervalDay(7)) AS y, toTypeName(y);
SELECT kqlBin(toDateTime64('2026-08-01 12:34:56.789', 3, 'UTC'), toIntervalHour(1)) AS y, toTypeName(y);
SELECT kqlBin(toDateTime64('2026-08-01 12:34:56.789', 3, 'UTC'), toIntervalDay(7)) AS y, toTypeName(y);
SELECT kqlBin(toDateTime64('1960-08-01 12:34:56.789', 3, 'UTC'), toIntervalDay(7)) AS y, toTypeName(y);
SELECT kqlBin(toDateTime64('2026-08-01 12:34:56.789', 0, 'UTC'), toIntervalNanosecond(700000000)) AS y, toTypeName(y);
SELECT kqlBin(toDateTime64('2026-08-01 12:34:56.789', 3, 'UTC'), toIntervalHour(0)) AS y, toTypeName(y);
SELECT kqlBin(toDateTime64('2026-08-01 12:34:56.789', 3, 'UTC'), toIntervalHour(-1)) AS y, toTypeName(y);
-- error: ILLEGAL_TYPE_OF_ARGUMENT
SELECT kqlBin(toDateTime64('2026-08-01 12:34:56.789', 3, 'UTC'), 5) AS y, toTypeName(y);
-- error: ILLEGAL_TYPE_OF_ARGUMENT
SELECT kqlBin(toDateTime('2026-08-01 12:34:56', 'UTC'), toIntervalHour(1)) AS y, toTypeName(y);
-- error: ILLEGAL_TYPE_OF_ARGUMENT
SELECT kqlBin('a', 1);
-- error: ILLEGAL_TYPE_OF_ARGUMENT
SELECT kqlBin(1, 'a');
-- error: NUMBER_OF_ARGUMENTS_DOESNT_MATCH
SELECT kqlBin(1);
-- error: ILLEGAL_TYPE_OF_ARGUMENT
SELECT kqlBin(toIntervalDay(16), 2) AS y, toTypeName(y);
-- error: ILLEGAL_DIVISION
SELECT kqlBinAt(6.5, 2.5, -0.5) AS y, toTypeName(y), kqlBinAt(6, 4, 1) AS z, toTypeName(z), kqlBinAt(6, 0, 1), kqlBinAt(-6, 4, 1), kqlBinAt(6, -4, 1);
SELECT kqlBinAt(toIntervalDay(16), toIntervalHour(7), toIntervalMinute(30)) AS y, toTypeName(y);
SELECT kqlBinAt(toDateTime64('2026-08-01 12:34:56', 7, 'UTC'), toIntervalHour(1), toDateTime64('2026-08-01 00:30:00', 7, 'UTC')) AS y, toTypeName(y);
SELECT kqlBinAt(toDateTime64('2026-08-01 12:34:56', 3, 'UTC'), toIntervalHour(1), toDateTime64('2026-08-01 00:30:00', 7, 'UTC')) AS y, toTypeName(y);
SELECT kqlBinAt(toDateTime64('2026-08-01 00:14:56', 3, 'UTC'), toIntervalHour(1), toDateTime64('2026-08-01 00:30:00', 3, 'UTC')) AS y, toTypeName(y);
SELECT kqlDateTimeBinAt(toDateTime64('2026-08-01 00:14:56', 3, 'UTC'), toIntervalHour(1), toDateTime64('2026-08-01 00:30:00', 3, 'UTC')) AS y, toTypeName(y);
-- error: ILLEGAL_TYPE_OF_ARGUMENT
SELECT kqlDateTimeBinAt(toDateTime('2026-08-01 00:14:56', 'UTC'), toIntervalHour(1), toDateTime('2026-08-01 00:30:00', 'UTC')) AS y, toTypeName(y);
-- error: ILLEGAL_TYPE_OF_ARGUMENT
SELECT kqlDateTimeBinAt(5, 1, 1) AS y, toTypeName(y);
SELECT kqlDivide(7, 2) AS y, toTypeName(y), kqlDivide(7.0, 2) AS z, toTypeName(z), kqlDivide(toUInt64(7), toInt8(-2)) AS w, toTypeName(w);
-- error: ILLEGAL_DIVISION
SELECT kqlDivide(7, 0);
SELECT kqlDivide(7.0, 0);
SELECT kqlDivide(toIntervalNanosecond(15000000), toIntervalNanosecond(10000000)) AS y, toTypeName(y), kqlDivide(toIntervalDay(1), toIntervalHour(7)) AS z, kqlDivide(toIntervalDay(1), toIntervalHour(0));
-- error: ILLEGAL_TYPE_OF_ARGUMENT
SELECT kqlDivide(toIntervalDay(5), 2) AS y, toTypeName(y);
SELECT kqlDivide(toDecimal32(5, 2), 2) AS y, toTypeName(y);
-- error: ILLEGAL_TYPE_OF_ARGUMENT
SELECT kqlDivide('a', 2) AS y, toTypeName(y);
-- error: ILLEGAL_TYPE_OF_ARGUMENT
SELECT kqlDivide(toIntervalMonth(5), toIntervalDay(2)) AS y, toTypeName(y);
SELECT kqlMultiply(2, toIntervalNanosecond(3600000000000)) AS y, toTypeName(y), kqlMultiply(6, 7) AS z, toTypeName(z), kqlMultiply(toIntervalHour(5), 2.5) AS w, toTypeName(w);
-- error: ILLEGAL_TYPE_OF_ARGUMENT
SELECT kqlMultiply(toIntervalHour(5), toIntervalHour(5)) AS y, toTypeName(y);
SELECT kqlMultiply(toIntervalHour(5), toDecimal32(1.5, 1)) AS y, toTypeName(y);
-- error: BAD_ARGUMENTS
SELECT kqlMultiply(toIntervalHour(9223372036854775807), 2) AS y, toTypeName(y);
SELECT kqlMultiply(toIntervalHour(5), -1.7) AS y, toTypeName(y);
-- error: BAD_ARGUMENTS
SELECT kqlMultiply(toIntervalHour(5), nan) AS y, toTypeName(y);
-- error: ILLEGAL_TYPE_OF_ARGUMENT
SELECT kqlMultiply('a', 1) AS y, toTypeName(y);
SELECT kqlMultiply(6.5, 7) AS y, toTypeName(y);
SELECT kqlRangeCount(1, 7, 2) AS y, toTypeName(y), kqlRangeCount(7, 1, 2), kqlRangeCount(7, 1, -2), kqlRangeCount(1, 2, 0.25), kqlRangeCount(1.5, 2, 1);
-- error: BAD_ARGUMENTS
SELECT kqlRangeCount(1, 7, 0);
-- error: BAD_ARGUMENTS
SELECT kqlRangeCount(1, 7, 0.0);
-- error: BAD_ARGUMENTS
SELECT kqlRangeCount(0, 1, nan);
SELECT kqlRangeCount(toIntervalHour(0), toIntervalDay(1), toIntervalHour(5)) AS y, toTypeName(y);
SELECT kqlRangeCount(toDateTime64('2026-08-01 00:00:00', 7, 'UTC'), toDateTime64('2026-08-01 12:00:00', 7, 'UTC'), toIntervalHour(5));
SELECT kqlRangeCount(toDateTime('2026-08-01 00:00:00', 'UTC'), toDateTime('2026-08-01 12:00:00', 'UTC'), toIntervalHour(5));
-- error: ILLEGAL_TYPE_OF_ARGUMENT
SELECT kqlRangeCount(toDate('2026-08-01'), toDate('2026-08-03'), toIntervalHour(5));
-- error: ILLEGAL_TYPE_OF_ARGUMENT
SELECT kqlRangeCount(toDateTime64('2026-08-01 00:00:00', 7, 'UTC'), toDateTime64('2026-08-01 12:00:00', 7, 'UTC'), 5);
SELECT kqlRangeCount(toDecimal32(0.1, 1), toDecimal32(0.9, 1), toDecimal32(0.2, 1));
-- error: ILLEGAL_TYPE_OF_ARGUMENT
SELECT kqlRangeCount('a', 'b', 1);
SELECT kqlToTimespan('0.00:01:00') AS y, toTypeName(y), kqlToTimespan(2) AS z, toTypeName(z), kqlToTimespan(1.5), kqlToTimespan('-1.02:03:04.5'), kqlToTimespan('01:02'), kqlToTimespan('1'), kqlToTimespan('1:2:3'), kqlToTimespan('1.5'), kqlToTimespan(''), kqlToTimespan('1d'), kqlToTimespan('25:00:00'), kqlToTimespan('00:60:00'), kqlToTimespan('00:00:00.123456789'), kqlToTimespan(' 00:01:00 '), kqlToTimespan('+00:01:00'), kqlToTimespan('1.00:00'), kqlToTimespan('1:00:00:00');
SELECT kqlToTimespan(toIntervalHour(2)) AS y, toTypeName(y), kqlToTimespan(toDecimal32(1.5, 1)) AS z, toTypeName(z);
SELECT kqlToTimespan(toIntervalMonth(2)) AS y, toTypeName(y);
SELECT kqlToTimespan(NULL) AS y, toTypeName(y);
-- error: ILLEGAL_TYPE_OF_ARGUMENT
SELECT kqlToTimespan(toDate('2020-01-01')) AS y, toTypeName(y);
-- error: BAD_ARGUMENTS
SELECT kqlToTimespan(nan) AS y, toTypeName(y);
-- error: BAD_ARGUMENTS
SELECT kqlToTimespan(1e10) AS y, toTypeName(y);
-- error: BAD_ARGUMENTS
SELECT kqlToTimespan(10000000) AS y, toTypeName(y);
SELECT kqlToTimespan('00:00:00.1234567') y, kqlToTimespan('00:00:00.12345678') z, kqlToTimespan('100000.00:00:00') a, kqlToTimespan('10000000.00:00:00') b, kqlToTimespan('-00:00:01') c, kqlToTimespan('1.24:00:00') d, kqlToTimespan('-1') e, kqlToTimespan('1.') f, kqlToTimespan('1:') g, kqlToTimespan('001:02:03') h, kqlToTimespan('01:02:03.') i;
SELECT kqlParameterCast(5, 'long', 'the parameter') AS x, toTypeName(x), kqlParameterCast(5, 'real', 'p') AS y, toTypeName(y), kqlParameterCast(5, 'int', 'p') AS z, toTypeName(z), kqlParameterCast(5, 'decimal', 'p') AS w, toTypeName(w);
SELECT kqlParameterCast('5', 'string', 'p') AS x, toTypeName(x), kqlParameterCast(true, 'bool', 'p') AS y, toTypeName(y), kqlParameterCast(toUUID('61f0c404-5cb3-11e7-907b-a6006ad3dba0'), 'guid', 'p') AS z, toTypeName(z);
SELECT kqlParameterCast(toIntervalHour(1), 'timespan', 'p') AS x, toTypeName(x), kqlParameterCast(toDateTime64('2020-01-01 00:00:00', 3, 'UTC'), 'datetime', 'p') AS y, toTypeName(y);
-- error: CANNOT_CONVERT_TYPE
SELECT kqlParameterCast(5000000000, 'int', 'p');
-- error: ILLEGAL_TYPE_OF_ARGUMENT
SELECT kqlParameterCast('5', 'int', 'p');
-- error: ILLEGAL_TYPE_OF_ARGUMENT
SELECT kqlParameterCast(5, 'string', 'p');
-- error: ILLEGAL_TYPE_OF_ARGUMENT
SELECT kqlParameterCast(5.5, 'long', 'p');
-- error: ILLEGAL_TYPE_OF_ARGUMENT
SELECT kqlParameterCast(5.5, 'decimal', 'p') AS x, toTypeName(x);
SELECT kqlParameterCast(1, 'bool', 'p') AS x, toTypeName(x);
-- error: ILLEGAL_TYPE_OF_ARGUMENT
SELECT kqlParameterCast(map('a',1), 'dynamic', 'p') AS x, toTypeName(x);
-- error: ILLEGAL_TYPE_OF_ARGUMENT
SELECT kqlParameterCast([1,2], 'dynamic', 'p') AS x, toTypeName(x);
-- error: ILLEGAL_TYPE_OF_ARGUMENT
SELECT kqlParameterCast(1, 'foo', 'p');
SELECT kqlParameterCast(NULL, 'long', 'p') AS x, toTypeName(x);
SELECT kqlParameterCast(toNullable(3), 'long', 'p') AS x, toTypeName(x);
SELECT kqlParameterCast(toDate('2020-01-01'), 'datetime', 'p') AS y, toTypeName(y);
-- error: CANNOT_CONVERT_TYPE
SELECT kqlParameterCast(toUInt64(18446744073709551615), 'long', 'p') AS y;
-- error: CANNOT_CONVERT_TYPE
SELECT kqlParameterCast(toUInt64(18446744073709551615), 'real', 'p') AS y;
-- error: ILLEGAL_TYPE_OF_ARGUMENT
SELECT kqlParameterCast(materialize(5), 'date', 'p') AS y;
SELECT kqlBin(4.5, 1) AS x, toTypeName(x), kqlBin(7, 2) AS y, toTypeName(y), kqlBin(-7, 2), kqlBin(7, -2);
SELECT toTypeName(kqlBin(materialize(toUInt16(7)), 2)), toTypeName(kqlBin(toUInt32(7), toUInt32(7))), toTypeName(kqlBin(toInt64(7), toUInt8(7))), toTypeName(kqlBin(toUInt8(7), toInt64(7))), toTypeName(kqlBin(toFloat32(7), toFloat32(7))), toTypeName(kqlBin(toInt128(7), toInt8(7)));
SELECT kqlBin(number, 2), kqlBin(toInt8(number), 2), kqlBin(number, 0.) FROM numbers(3);
-- error: ILLEGAL_DIVISION
SELECT kqlBin(materialize(toIntervalDay(16)), toIntervalDay(0));
-- error: ILLEGAL_DIVISION
SELECT kqlBin(materialize(5), 0);
-- error: ILLEGAL_DIVISION
SELECT kqlBin(number, number) FROM numbers(3);
SELECT kqlBin(toInt64(-9223372036854775808), 10);
SELECT kqlBinAt(6.5, 2.5, -0.5) AS y, toTypeName(y), kqlBinAt(6, 4, 1) AS z, toTypeName(z), kqlBinAt(-6, 4, 1), kqlBinAt(6, -4, 1);
SELECT kqlBinAt(toDecimal32(1.5,1), toDecimal32(0.7, 1), toDecimal32(0.1, 1)) AS y, toTypeName(y);
SELECT kqlBinAt(toIntervalDay(16), toIntervalDay(7), toIntervalDay(1)) AS y, toTypeName(y);
-- error: ILLEGAL_TYPE_OF_ARGUMENT
SELECT kqlDivide(toDate('2020-01-01'), 1);
SELECT kqlDivide(toNullable(7), 2) AS y, toTypeName(y), kqlDivide(NULL, 2) AS z, toTypeName(z), kqlDivide(7, 2.) AS w, toTypeName(w), kqlDivide(toBool(1), 2) AS v, toTypeName(v);
SELECT kqlToTimespan('.5') a, kqlToTimespan('1.5:') b, kqlToTimespan('1.:') c, kqlToTimespan('::') d, kqlToTimespan('1::') e, kqlToTimespan('1.2:3') f, kqlToTimespan('1.2.3') g, kqlToTimespan('1:2:3.4.5') h, kqlToTimespan('-') i, kqlToTimespan('+') j, kqlToTimespan('--1.') k, kqlToTimespan('1.2:3:4.') l, kqlToTimespan('1:2:') m, kqlToTimespan('1:2:3x') n, kqlToTimespan('1:2:3 ') o, kqlToTimespan('99999999999999999999:00:00') p, kqlToTimespan('1:2:3:') q, kqlToTimespan('1.2:3:4:5') r, kqlToTimespan('.') s, kqlToTimespan('1 .2:3:4') t, kqlToTimespan('1:2.5:3') u, kqlToTimespan('1:2:3.x') v, kqlToTimespan('00:00:01.5') w, kqlToTimespan('-1.5') x;
SELECT kqlToTimespan(toFixedString('1:2:3', 5)) AS x, toTypeName(x);
SELECT kqlToTimespan(toNullable(1)) AS x, toTypeName(x), kqlToTimespan(materialize(toInt8(-1))), kqlToTimespan(toUInt128(1)), kqlToTimespan(true);
SELECT kqlParameterCast(1, 'boolean', 'p');
SELECT kqlParameterCast(1., 'double', 'p');
SELECT kqlParameterCast(1., 'real', 'p'), kqlParameterCast(toDecimal32(1, 1), 'decimal', 'p');
-- error: ILLEGAL_TYPE_OF_ARGUMENT
SELECT kqlParameterCast(toDecimal32(1, 1), 'real', 'p');
-- error: ILLEGAL_TYPE_OF_ARGUMENT
SELECT kqlParameterCast(1., 'bool', 'p');
SELECT kqlParameterCast(2, 'bool', 'p');
-- error: ILLEGAL_TYPE_OF_ARGUMENT
SELECT kqlParameterCast(toUInt16(300), 'bool', 'p');
SELECT kqlParameterCast(true, 'int', 'p');
SELECT kqlParameterCast(true, 'long', 'p');
SELECT kqlParameterCast(toFixedString('a', 2), 'string', 'p') AS x, toTypeName(x);
SELECT kqlParameterCast(toLowCardinality('a'), 'string', 'p') AS x, toTypeName(x);
SELECT kqlParameterCast(toUUID('61f0c404-5cb3-11e7-907b-a6006ad3dba0'), 'uuid', 'p');
-- error: ILLEGAL_TYPE_OF_ARGUMENT
SELECT kqlParameterCast(toUUID('61f0c404-5cb3-11e7-907b-a6006ad3dba0'), 'uniqueid', 'p');
-- error: ILLEGAL_TYPE_OF_ARGUMENT
SELECT kqlParameterCast('61f0c404-5cb3-11e7-907b-a6006ad3dba0', 'guid', 'p');
SELECT kqlParameterCast(toIntervalHour(1), 'time', 'p');
-- error: ILLEGAL_TYPE_OF_ARGUMENT
SELECT kqlParameterCast(toIntervalMonth(1), 'timespan', 'p');
SELECT kqlParameterCast(toIntervalNanosecond(1), 'timespan', 'p');
-- error: ILLEGAL_TYPE_OF_ARGUMENT
SELECT kqlParameterCast(1, 'timespan', 'p');
SELECT kqlParameterCast(toDateTime('2020-01-01 00:00:00', 'Europe/Berlin'), 'datetime', 'p') AS x, toTypeName(x);
SELECT kqlParameterCast(toDateTime('2020-01-01 00:00:00'), 'date', 'p') AS x, toTypeName(x);
SELECT kqlParameterCast(toDate32('2020-01-01'), 'date', 'p') AS x, toTypeName(x);
-- error: ILLEGAL_TYPE_OF_ARGUMENT
SELECT kqlParameterCast(1, 'int32', 'p');
-- error: ILLEGAL_TYPE_OF_ARGUMENT
SELECT kqlParameterCast(1, 'int64', 'p');
-- error: ILLEGAL_TYPE_OF_ARGUMENT
SELECT kqlParameterCast(1, 'INT', 'p');
-- error: ILLEGAL_TYPE_OF_ARGUMENT
SELECT kqlParameterCast(1, materialize('int'), 'p');
-- error: NUMBER_OF_ARGUMENTS_DOESNT_MATCH
SELECT kqlParameterCast(1, 'int');
-- error: ILLEGAL_TYPE_OF_ARGUMENT
SELECT kqlParameterCast(1, 2, 3);
-- error: ILLEGAL_TYPE_OF_ARGUMENT
SELECT kqlParameterCast(toInt128(5), 'int', 'p') AS x, toTypeName(x);
SELECT kqlParameterCast(toFloat32(1.5), 'real', 'p') AS x, toTypeName(x);
-- error: ILLEGAL_TYPE_OF_ARGUMENT
SELECT kqlParameterCast([1], 'long', 'p') AS x, toTypeName(x);
SELECT toTypeName(kqlBin(7, materialize(toInt8(2)))), toTypeName(kqlBin(toInt8(7), 2)), kqlBin(toInt8(-7), 2);
