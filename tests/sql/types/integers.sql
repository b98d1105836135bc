SELECT toInt8(-128), toInt8(127), toUInt8(255), toInt16(-32768), toUInt16(65535);
SELECT toInt32('-2147483648'), toUInt32('4294967295'), toInt64('-9223372036854775808'), toUInt64('18446744073709551615');
SELECT toUInt8(256), toInt8(128), toUInt8(-1), toUInt16(65536);
SELECT toUInt8(255) + toUInt8(1), toTypeName(toUInt8(255) + toUInt8(1));
SELECT toTypeName(toUInt8(1) + toUInt32(1)), toTypeName(toUInt64(1) + toUInt64(1)), toTypeName(toInt8(1) + toUInt8(1));
SELECT toTypeName(toUInt8(1) - toUInt8(2)), toUInt8(1) - toUInt8(2);
SELECT toTypeName(toInt32(1) * toInt32(1)), toTypeName(1 / 2), 1 / 2, 7 / 2;
SELECT intDiv(7, 2), intDiv(-7, 2), 7 % 3, -7 % 3, modulo(7, -3), positiveModulo(-7, 3);
-- error: ILLEGAL_DIVISION
SELECT intDiv(1, 0);
-- error: ILLEGAL_DIVISION
SELECT 1 % 0;
SELECT 1 / 0, -1 / 0, 0 / 0;
SELECT intDivOrZero(1, 0), moduloOrZero(5, 0);
SELECT toInt64(9223372036854775807) + 1;
SELECT toInt128('170141183460469231731687303715884105727'), toUInt128('340282366920938463463374607431768211455');
SELECT toInt256('-1'), toUInt256(1), toTypeName(toInt128(1) + 1);
SELECT 7 DIV 2, 7 MOD 4, -5 DIV 2;
-- error: CANNOT_PARSE_TEXT
SELECT toInt32('abc');
-- error: CANNOT_PARSE_TEXT
SELECT toInt32('12abc');
SELECT toInt32OrZero('abc'), toInt32OrNull('abc'), toInt32OrDefault('abc', 7::Int32), toUInt8OrZero('300');
SELECT toInt32(3.9), toInt32(-3.9), toUInt8('42');
SELECT bitAnd(12, 10), bitOr(12, 10), bitXor(12, 10), bitNot(toUInt8(1)), bitShiftLeft(1, 3), bitShiftRight(16, 2);
SELECT abs(-5), toTypeName(abs(toInt8(-5))), negate(5), -(-5), sign(-3), gcd(12, 18), lcm(4, 6);
