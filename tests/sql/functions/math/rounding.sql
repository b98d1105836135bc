SELECT round(123.456), round(123.456, 1), round(123.456, -1), round(-0.5), round(0.5), round(1.5);
SELECT floor(123.456, 1), ceil(123.456, 1), ceiling(1.1), trunc(123.456, 1), floor(-1.5), ceil(-1.5);
SELECT round(toInt32(123), -1), round(toInt32(-125), -1), floor(127, -2), toTypeName(round(5)), toTypeName(round(5.5));
SELECT roundToExp2(100), roundDuration(100), roundAge(20), roundDown(7, [0, 5, 10]);
SELECT round(toFloat32(1.25), 1), round(1e18), round(1234567.891, 2), roundBankers(4.5), roundBankers(-3.5);
SELECT factorial(10), max2(1, 2), min2(1, 2);
SELECT widthBucket(10.15, -8.6, 23, 10);
SELECT intExp2(4);
SELECT intExp10(3);
SELECT plus(1, 2), minus(1, 2), multiply(2, 3), divide(1, 2), modulo(7, 4), negate(1), byteSwap(1::UInt32);
SELECT greatest(1, 2, 3), least(1, 2, 3), greatest('a', 'b'), least(1.5, 2), greatest(toDate('2024-01-01'), toDate('2023-01-01'));
SELECT clamp(15, 0, 10);
SELECT bitCount(7), bitTest(5, 0), bitTestAll(5, 0, 2), bitTestAny(5, 1), bitRotateLeft(1::UInt8, 1), bitRotateRight(1::UInt8, 1), bitHammingDistance(1, 2);
-- gap: Function with name 'bitSlice' does not exist. Maybe you meant: ['byteSlice']. (UNKNOWN_FUNCTION)
SELECT bitSlice('abc', 1, 8);
SELECT log1p(1), sigmoid(0);
SELECT hex(bitSlice('abc', 2)), hex(bitSlice('abc', -5)), hex(bitSlice('abc', 3, 9)), hex(bitSlice('abc', 9, 100)), hex(bitSlice('abc', -100, 90)), hex(bitSlice('abc', 0));
