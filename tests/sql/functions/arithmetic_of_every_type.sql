-- Arrays: of two the sum and the difference, element by element.
SELECT [1, 2, 3] + [1, 2, 3] AS r, toTypeName(r), [1, 2, 3] - [1, 2, 3] AS d, toTypeName(d);
SELECT [1, 2] + materialize([3, 4]), materialize([1, 2]) + materialize([3, 4]), [1] + materialize([3]) + [4] AS r, toTypeName(r);
SELECT [[1, 2], [3]] + [[1, 2], [3]] AS r, toTypeName(r), [1.5, 2] - [1, 2] AS f, toTypeName(f);
SELECT [toDecimal32(1.5, 1)] + [toDecimal64(2.25, 2)] AS r, toTypeName(r), [toInt128(5)] + [toUInt256(3)] AS w, toTypeName(w);
SELECT [toDate('2024-01-01')] - [toDate('2023-01-01')] AS r, toTypeName(r), [toDate('2024-01-01')] + [1] AS d, toTypeName(d);
SELECT [(1, 2)] + [(3, 4)] AS r, toTypeName(r), (1, [1, 2]) + (1, [1, 2]) AS t, toTypeName(t);
SELECT [number, 1] + [1, 2], [number] - [number], arrayResize([1], number) + arrayResize([2], number) FROM numbers(3);
-- error: SIZES_OF_ARRAYS_DONT_MATCH
SELECT [1, 2] + [3];
-- error: SIZES_OF_ARRAYS_DONT_MATCH
SELECT [[1], [2, 3]] + [[1], [2]];
-- error: SIZES_OF_ARRAYS_DONT_MATCH
SELECT arrayResize([1], number) + [1] FROM numbers(2);
-- error: ILLEGAL_TYPE_OF_ARGUMENT
SELECT [1, NULL] + [3, 4];
-- error: ILLEGAL_TYPE_OF_ARGUMENT
SELECT [] + [];
-- error: ILLEGAL_TYPE_OF_ARGUMENT
SELECT [1, 2] + 1;
-- error: ILLEGAL_TYPE_OF_ARGUMENT
SELECT ['a'] + ['b'];

-- An array and a number.
SELECT 1 * [1, 2, 3] AS a, -3 * [1, 2, 3] AS b, [1, 2, 3] * toUInt64(2) AS c, [1, 2, 3] * 1.5 AS d, toTypeName(a), toTypeName(b), toTypeName(c), toTypeName(d);
SELECT [1, 2, 3] * toDecimal64('1.23', 2) AS a, toInt128(5) * [1, 2, 3] AS b, [[1, 2], [3]] * 2 AS c, [(1, 2)] * 2 AS d, toTypeName(a), toTypeName(b), toTypeName(c), toTypeName(d);
SELECT [true, false] * 2 AS a, [1, 2] * true AS b, [toIPv4('0.0.0.1')] * 2 AS c, [toLowCardinality(1)] * 2 AS d, toTypeName(a), toTypeName(b), toTypeName(c), toTypeName(d);
SELECT [1, 2] * toNullable(2) AS a, [1, 2] * toLowCardinality(2) AS b, [1, 2] * NULL AS c, multiply((1, [1, 2]), 2) AS d, toTypeName(a), toTypeName(b), toTypeName(c), toTypeName(d);
SELECT [number, number] * number, [1, 2, 3] * number, materialize([1, 2]) * materialize(3), range(number) * number FROM numbers(4);
SELECT 1 / [1, 2, 3], [1, 2, 3] / -3, [1, 2, 3] / toDecimal64('1.23', 2) AS d, toDecimal64('1.23', 2) / [1, 2, 3], toTypeName(d), [[1, 2], [3, 4]] / 2 AS n, toTypeName(n);
SELECT intDiv(1, [1, 2, 3]) AS a, intDiv([1, 2, 3], -3) AS b, intDiv(1.5, [1, 2, 3]) AS c, intDiv([1, 2, 3], 1.5) AS d, toTypeName(a), toTypeName(b), toTypeName(c), toTypeName(d);
SELECT intDiv([1, 2, 3], toInt128(5)) AS a, intDiv([1, 2, 3], toDecimal64('1.23', 2)) AS b, intDiv(toDecimal64('1.23', 2), [1, 2, 3]) AS c, [1, 2] DIV 2 AS d, toTypeName(a), toTypeName(b), toTypeName(c), toTypeName(d);
SELECT intDivOrZero([1, 2], 0) AS a, intDivOrZero(-3, [1, 2, 3]) AS b, toTypeName(a), toTypeName(b);
SELECT 1 % [1, 2, 3] AS a, -3 % [1, 2, 3] AS b, [1, 2, 3] % 2.5 AS c, toUInt64(2) % [1, 2, 3] AS d, toTypeName(a), toTypeName(b), toTypeName(c), toTypeName(d);
SELECT positiveModulo(-3, [1, 2, 3]) AS a, positiveModulo([-1, -2], 3) AS b, toTypeName(a), toTypeName(b);
SELECT kqlMultiply([1, 2], 2) AS a, kqlDivide([1, 2, 3], 2) AS b, toTypeName(a), toTypeName(b), arrayMap(x -> [x] * 2, [1, 2]);
-- error: ILLEGAL_DIVISION
SELECT intDiv([1, 2], 0);
-- error: ILLEGAL_DIVISION
SELECT [1, 2] % 0;
-- error: ILLEGAL_TYPE_OF_ARGUMENT
SELECT [1, 2] * [3, 4];
-- error: ILLEGAL_TYPE_OF_ARGUMENT
SELECT [1, NULL] * 2;
-- error: ILLEGAL_TYPE_OF_ARGUMENT
SELECT moduloOrZero([1, 2], 2);
-- error: ILLEGAL_TYPE_OF_ARGUMENT
SELECT [1, 2] * '3';

-- Remainders and quotients.
SELECT -3 % 1.5, 5.5 % 0.1, materialize(5.5) % materialize(0.1), 1e20 % 3, 1.5 % inf, -0.0 % 2, -1.5 % 1, toFloat32(-0.3) % toFloat32(0.1);
SELECT moduloOrZero(-3, 1.5), moduloOrNull(-3, 1.5), positiveModuloOrNull(-3, 1.5), positiveModulo(-5.5, 0.1), moduloOrNull(1.5, 0), positiveModulo(-1.5, -1);
SELECT moduloLegacy(-3, 1.5), moduloLegacy(-3, toUInt64(2)) AS a, moduloLegacy(-3, toUInt32(2)) AS b, moduloLegacy(toInt32(-3), toUInt16(2)) AS c, moduloLegacy(toInt64(-3), toUInt32(2)) AS d, toTypeName(a), toTypeName(b), toTypeName(c), toTypeName(d);
SELECT moduloLegacy(toUInt64(18446744073709551615), -2) AS a, moduloLegacy(toUInt32(4294967295), toInt32(-2)) AS b, moduloLegacy(toInt128(-3), 2) AS c, moduloLegacy(-3, toInt128(2)) AS d, toTypeName(a), toTypeName(b), toTypeName(c), toTypeName(d);
-- error: ILLEGAL_DIVISION
SELECT moduloLegacy(-3, toUInt64(0));
SELECT toDate('2024-02-28') % 7 AS a, toDate('2024-02-29') % toInt16(-700) AS b, toDateTime('2024-02-29 01:02:03', 'UTC') % 3600 AS c, toDateTime('2024-02-29 01:02:03', 'UTC') % 7.5 AS d, toTypeName(a), toTypeName(b), toTypeName(c), toTypeName(d);
SELECT positiveModulo(toDateTime('2024-02-29 01:02:03', 'UTC'), toInt8(-7)) AS a, materialize(toDate('2024-02-28')) % 7, toNullable(toDate('2024-02-28')) % 7 AS b, toTypeName(a), toTypeName(b);
-- error: ILLEGAL_TYPE_OF_ARGUMENT
SELECT toDate32('2024-02-29') % 7;
-- error: ILLEGAL_DIVISION
SELECT toDate('2024-02-29') % 0;
SELECT intDiv(1, toDecimal64('1.23', 2)) AS a, intDiv(-3, toDecimal64('1.23', 2)) AS b, intDiv(toUInt64(300), toDecimal64('1.00', 2)) AS c, intDiv(toInt128(5), toDecimal64('1.5', 2)) AS d, toTypeName(a), toTypeName(b), toTypeName(c), toTypeName(d);
SELECT intDiv(toDecimal32('7.5', 1), toDecimal64('2.5', 1)) AS a, intDiv(toDecimal64('7.5', 1), toDecimal32('2.5', 1)) AS b, intDiv(toDecimal32('7.5', 1), toInt128(2)) AS c, intDivOrZero(7, toDecimal32('0', 1)) AS d, toTypeName(a), toTypeName(b), toTypeName(c), toTypeName(d);
-- error: DECIMAL_OVERFLOW
SELECT intDiv(200, toDecimal64('1.00', 2));

-- Bits.
SELECT bitHammingDistance(1, -3), bitHammingDistance(-3, materialize(2)), bitHammingDistance(1, 1.5), bitHammingDistance(-1.5, 3), bitHammingDistance(nan, 0), bitHammingDistance(1e30, 0), bitHammingDistance(1e19, 0), bitHammingDistance(toFloat32(1e15), 0), bitHammingDistance(toInt128(1), toInt128(-3)), bitHammingDistance(true, 2);
SELECT bitHammingDistance('abc', '1'), bitHammingDistance('', 'abcdefghij'), bitHammingDistance(materialize('1'), 'UTC');
SELECT bitNot(1.5), bitNot(nan), bitNot(1e19), bitNot(toFloat32(0.1)) AS f, bitNot(toFloat32(3e9)), toTypeName(f), toTypeName(bitNot(1.5));
SELECT hex(bitNot('abc')), hex(bitNot('')), hex(bitNot(materialize('ab c'))), hex(bitNot(toFixedString('ab', 3))), toTypeName(bitNot(toFixedString('ab', 3))), toTypeName(bitNot(toLowCardinality('x')));
SELECT bitCount('abc') AS a, bitCount(toFixedString('ab', 3)) AS b, bitCount(toLowCardinality('x')) AS c, toTypeName(a), toTypeName(b), toTypeName(c);
SELECT byteSwap(true) AS a, byteSwap(toInt128(-5)), byteSwap(toUInt128(5)), byteSwap(toInt256(5)), byteSwap(materialize(toUInt256(9))), toTypeName(a);
SELECT countDigits(toInt128(-500)), countDigits(toUInt256('115792089237316195423570985008687907853269984665640564039457584007913129639935')), countDigits(toInt256('-57896044618658097711785492504343953926634992332820282019728792003956564819968')), countDigits(toDecimal256('1.5', 3)), countDigits(toDecimal256('0', 3));
SELECT bitmaskToArray(true) AS a, bitmaskToArray(false), bitmaskToArray(toInt128(5)) AS b, bitmaskToArray(toUInt256(9)) AS c, bitmaskToArray(-7) AS d, toTypeName(a), toTypeName(b), toTypeName(c), toTypeName(d);
SELECT bitmaskToArray(toInt128(-1)), bitmaskToArray(toUInt256('115792089237316195423570985008687907853269984665640564039457584007913129639935'));
SELECT bitPositionsToArray(toInt128(-1)) AS a, bitPositionsToArray(toUInt256('57896044618658097711785492504343953926634992332820282019728792003956564819969')), bitPositionsToArray(true), bitPositionsToArray(-1), toTypeName(a);
SELECT bitmaskToList(-7), bitmaskToList(toInt8(-128)), bitmaskToList(toInt64('-9223372036854775808')), bitmaskToList(toInt128(-1)), bitmaskToList(toUInt256(5)), bitmaskToList(true), bitmaskToList(materialize(0));

-- Rounding, powers, divisors.
SELECT round(true) AS a, floor(true), ceil(true, -1), trunc(true, -1), roundBankers(false), round(materialize(true), 1), toTypeName(a), roundToExp2(true) AS e, toTypeName(e);
SELECT roundAge(nan), roundDuration(nan), roundAge(toFloat32(nan)), roundAge(-inf), roundDuration(inf);
SELECT intExp10(18446744073709551615), intExp10(4294967297), intExp10(toInt64(-4294967295)), intExp10(1e30), intExp10(20), intExp10(19), intExp10(2.9), intExp10(-inf), intExp2(18446744073709551615), intExp2(63), intExp2(-0.5), intExp2(2.9);
-- error: BAD_ARGUMENTS
SELECT intExp10(nan);
SELECT gcd(toInt128(5), 1) AS a, gcd(toUInt128(5), 10) AS b, gcd(toUInt256(5), -10) AS c, gcd(toInt128(-5), -10), lcm(-3, toInt128(5)) AS d, lcm(toUInt256(5), toInt128(10)), gcd(toUInt256('115792089237316195423570985008687907853269984665640564039457584007913129639935'), toUInt256(5)), toTypeName(a), toTypeName(b), toTypeName(c), toTypeName(d);
-- error: DECIMAL_OVERFLOW
SELECT lcm(toInt128('170141183460469231731687303715884105727'), toInt128(2));
SELECT sqr(toIPv4('1.2.3.4')) AS a, toTypeName(a), midpoint('abc'), midpoint([1, 2, 3]), midpoint('a', NULL) AS b, toTypeName(b), avg2(NULL, 'abc');

-- Types of results.
SELECT mapSubtract(map('k', 1), map('k', 2)) AS a, mapSubtract(map('k', 1.5), map('k', 2.5)) AS b, mapSubtract(([1, 2], [1, 2]), ([1], [2])) AS c, toTypeName(a), toTypeName(b), toTypeName(c);
SELECT greatest(toUInt64(2), toDecimal64('1.23', 2)) AS a, least(toInt128(5), toDecimal64('1.23', 2)) AS b, greatest(toUInt64(2), toDecimal32('1.23', 2), 5) AS c, greatest(toDecimal32('1.5', 1), toDecimal64('1.23', 2)) AS d, toTypeName(a), toTypeName(b), toTypeName(c), toTypeName(d);
SELECT greatest(toDecimal32('1.5', 1), 2.5) AS a, greatest(toNullable(toDecimal32('1.5', 1)), toUInt64(1)) AS b, toTypeName(a), toTypeName(b);
SELECT ifNotFinite(1, 1) AS a, ifNotFinite(1, -3) AS b, ifNotFinite(nan, 1) AS c, ifNotFinite(1, toDecimal64('1.23', 2)) AS d, toTypeName(a), toTypeName(b), toTypeName(c), toTypeName(d);
SELECT ifNotFinite(nan, NULL) AS a, ifNotFinite(NULL, 1) AS b, ifNotFinite(toFloat32(inf), toInt8(2)) AS c, ifNotFinite(materialize(toNullable(nan)), 1) AS d, toTypeName(a), toTypeName(b), toTypeName(c), toTypeName(d);
SELECT xor(NULL) AS a, xor(1, NULL) AS b, xor('a', NULL) AS c, NOT NULL AS d, toTypeName(a), toTypeName(b), toTypeName(c), toTypeName(d), toTypeName(xor(1, toNullable(1)));
SELECT 1 WHERE xor(1, NULL) OR NOT NULL;

-- Vectors of length one.
SELECT L1Normalize([1, 2, 3]) AS a, L2Normalize([1, 2, 3]), LinfNormalize([-1, 2]), LpNormalize([1, 2, 3], 1.5), toTypeName(a), L2Normalize(materialize([3, 4])), normalizeL2([3, 4]), L1Normalize([0]), L1Normalize([true]);
SELECT L1Normalize([toFloat32(1.1), 2]) AS a, L2Normalize([toFloat32(1.1), toFloat32(2.7), toFloat32(3.3)]), toTypeName(a), L1Normalize(range(number + 1)) FROM numbers(3);
-- error: ARGUMENT_OUT_OF_BOUND
SELECT LpNormalize([1, 2, 3], 0.5);
-- error: ARGUMENT_OUT_OF_BOUND
SELECT LpNorm((1, 2), 0.5);
-- error: ILLEGAL_TYPE_OF_ARGUMENT
SELECT L1Normalize([1, NULL]);
