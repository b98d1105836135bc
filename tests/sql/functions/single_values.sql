SELECT ascii('é'), ascii(''), ascii(toFixedString('\xff', 1)), ascii('a');
SELECT sign(-0.0), sign(inf), sign(toFloat32(nan)), sign(nan);
SELECT multiSearchAny('', ['']), multiSearchAny('a', ['']), multiSearchFirstIndex('', ['']), multiSearchFirstPosition('', ['']), multiSearchAllPositions('', ['']), multiSearchAny('', ['a', '']), multiSearchAny(materialize(''), ['']);
SELECT round(toInt8(-128), -1), round(toUInt64(18446744073709551615), -1), round(toUInt8(255), -1), round(toInt64(-9223372036854775808), -1), round(toInt64(9223372036854775807), -1), round(toInt16(32767), -1), round(toUInt32(4294967295), -1);
SELECT number - 128 AS n, round(toInt8(n), -1), ceil(toInt8(n), -1), floor(toInt8(n), -1), roundBankers(toInt8(n), -1), trunc(toInt8(n), -1), round(toInt8(n), -2), ceil(toInt8(n), -2), floor(toInt8(n), -2) FROM numbers(256);
SELECT number AS n, round(toUInt8(n), -1), ceil(toUInt8(n), -1), floor(toUInt8(n), -1), roundBankers(toUInt8(n), -1), round(toUInt8(n), -2), ceil(toUInt8(n), -2) FROM numbers(240, 16);
SELECT round(toInt8(100), -3), round(toUInt8(200), -3), ceil(toUInt64(18446744073709551615), -1), round(toInt32(-2147483648), -1), roundBankers(toInt64(9223372036854775807), -1);
SELECT toUnixTimestamp(toDate('1970-01-01')), toUnixTimestamp(materialize(toDate32('1970-01-01'))) SETTINGS session_timezone = 'Asia/Kolkata';
SELECT (1, 2) > (0, NULL), (1, 2) = (0, NULL), (1, 2) != (0, NULL), (1, NULL) < (2, 1), (1, 2) >= (0, NULL), (1, 2) <=> (0, NULL), (1, NULL) IN ((1, NULL), (2, 1)), toTypeName((1, 2) > (0, NULL)), (toDate('2020-01-01'), NULL) = ('2020-01-02', 1);
SELECT (materialize(1), materialize(2)) > (0, materialize(NULL::Nullable(Int8))), (materialize(1), materialize(2)) != (0, materialize(NULL::Nullable(Int8)));
SELECT intDiv(toDecimal128('9999999999999999999999999999.9999999999', 10), 2), intDiv(toDecimal64(7.5, 2), 2), intDiv(toDecimal64(-7.5, 2), 2), intDiv(7, toDecimal32(0.5, 1)), intDivOrZero(toDecimal64(7.5, 2), 0), intDiv(toDecimal64(7.5, 2), toDecimal32(0.5, 1));
SELECT roundDown(toDecimal32(5, 2), [0, 10]), roundDown(5, [toDecimal32(0, 2)]), roundDown(true, [0, 10]);
-- error: ILLEGAL_COLUMN
SELECT roundDown(toInt256(5), [0, 10]);
-- error: ILLEGAL_COLUMN
SELECT roundDown(5, [toInt128(0), 10]);
SELECT moduloLegacy(-5, 3), toTypeName(moduloLegacy(-5, 3)), moduloLegacy(toInt64(-5), 300), toTypeName(moduloLegacy(toInt64(-5), 300)), moduloLegacy(5.5, 2), toTypeName(moduloLegacy(5, 3)), moduloLegacy(toInt64(-250), 255);
SELECT hasTokenOrNull('a b', 'b'), hasTokenOrNull('a b', 'a b'), hasTokenOrNull('a b', ''), hasTokenCaseInsensitiveOrNull('a B', 'b'), hasTokenCaseInsensitiveOrNull('a B', 'b c'), toTypeName(hasTokenOrNull('a b', 'b')), hasTokenOrNull(materialize('a b'), 'c'), hasToken('a b', '');
SELECT cutIPv6(IPv6StringToNum('2001:0DB8:AC10:FE01:FEED:BABE:CAFE:F00D'), 2, 0), cutIPv6(IPv6StringToNum('::ffff:192.168.0.1'), 2, 1), cutIPv6(toIPv6('2001:db8::1'), 16, 0), cutIPv6(toIPv6('2001:db8::1'), 0, 0), cutIPv6(IPv6StringToNum('::ffff:192.168.0.1'), 0, 4), cutIPv6(toIPv6('::1.2.3.4'), 1, 2);
-- error: ILLEGAL_TYPE_OF_ARGUMENT
SELECT cutIPv6(IPv6StringToNum('2001:0DB8:AC10:FE01:FEED:BABE:CAFE:F00D'), 17, 0);
