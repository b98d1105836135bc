SELECT bitShiftLeft(toUInt8(200), x), bitShiftRight(toInt8(-100), x), bitRotateLeft(toUInt8(200), x), bitRotateRight(toInt8(-100), x) FROM (SELECT arrayJoin([0, 1, 7, 8, 9, 15, 16, 63, 64, 65])::UInt64 AS x);
SELECT bitShiftLeft(toUInt64(1), x), bitShiftRight(toUInt64(-1), x) FROM (SELECT arrayJoin([0, 1, 7, 8, 9, 15, 16, 63, 64, 65])::UInt8 AS x);
SELECT bitShiftLeft(toInt32(-7), x), bitShiftRight(toInt32(-7), x) FROM (SELECT arrayJoin([0, 1, 7, 8, 9, 15, 16, 31, 32, 63, 64, 65])::Int16 AS x);
SELECT toTypeName(bitShiftLeft(materialize(toInt32(-7)), x)), bitShiftRight(toInt128(-7), x), bitShiftLeft(toUInt256(3), x) FROM (SELECT arrayJoin([0, 1, 127, 128, 129, 255, 256])::UInt64 AS x);
SELECT bitShiftLeft(1, 10), bitShiftLeft(1, 200), bitShiftRight(toInt8(-1), 8), toTypeName(bitShiftRight(toInt8(1), 1000)), toTypeName(bitRotateLeft(toUInt8(1), toUInt64(1)));
SELECT bitRotateLeft(toUInt8(129), 9), bitRotateRight(toUInt8(1), 1000), bitRotateLeft(toUInt16(1), toUInt32(16));
SELECT hex(bitShiftLeft('abc', 24)), length(bitShiftLeft('abc', 25)), hex(bitShiftLeft('abc', 23)), length(bitShiftRight('abc', 30)), hex(bitShiftRight('abc', 23));
SELECT hex(bitShiftLeft(toFixedString('abc', 3), 40)), hex(bitShiftRight(toFixedString('abc', 3), 24)), hex(bitShiftRight(toFixedString('abc', 3), 23));
-- error: ARGUMENT_OUT_OF_BOUND
SELECT bitShiftLeft(1, -1);
-- error: ARGUMENT_OUT_OF_BOUND
SELECT bitShiftRight('abc', toInt8(-1));
-- error: NOT_IMPLEMENTED
SELECT bitShiftLeft(1, toInt128(1));
-- error: PARAMETER_OUT_OF_BOUND
SELECT bitTest(5, 8);
-- error: PARAMETER_OUT_OF_BOUND
SELECT bitTestAny(5, 0, 9);
