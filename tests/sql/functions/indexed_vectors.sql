SELECT numericIndexedVectorToMap(numericIndexedVectorBuild(map(3, 30, 1, 10, 2, 0))), toTypeName(numericIndexedVectorBuild(map(1, 2)));
SELECT hex(numericIndexedVectorBuild(mapFromArrays([1, 2, 3], [10, 20, 30]))), toTypeName(numericIndexedVectorToMap(numericIndexedVectorBuild(map(1, 2.5))));
SELECT hex(numericIndexedVectorBuild(map(5, -1.5, 1, 2.5, 3, 0)));
SELECT hex(numericIndexedVectorBuild(mapFromArrays(range(toUInt32(40)), arrayMap(x -> toInt16(x - 20), range(40)))));
SELECT hex(numericIndexedVectorBuild(map(toInt8(-1), 3, 1, 5)));
SELECT numericIndexedVectorToMap(numericIndexedVectorBuild(map(1, 2, 1, 3))), numericIndexedVectorToMap(numericIndexedVectorBuild(map(toInt8(1), 2, toInt8(-1), 3)));
SELECT numericIndexedVectorToMap(numericIndexedVectorBuild(map(number, toInt8(number) - 1))) FROM (SELECT toUInt8(number) AS number FROM numbers(3)) ORDER BY 1;
SELECT numericIndexedVectorCardinality(numericIndexedVectorBuild(map(1, 2, 3, 0))), numericIndexedVectorAllValueSum(numericIndexedVectorBuild(map(1, 2.5, 3, -1)));
SELECT numericIndexedVectorAllValueSum(numericIndexedVectorBuild(map(1, toInt8(-128)))), numericIndexedVectorAllValueSum(numericIndexedVectorBuild(map(1, 9000000000000000000, 2, 9000000000000000000)));
SELECT numericIndexedVectorGetValue(numericIndexedVectorBuild(map(1, 10, 3, 30)), 3), numericIndexedVectorGetValue(numericIndexedVectorBuild(map(1, 10)), 2), numericIndexedVectorGetValue(numericIndexedVectorBuild(map(1, toInt8(-128))), 257);
SELECT numericIndexedVectorGetValue(numericIndexedVectorBuild(map(1, -1.5)), 1), numericIndexedVectorGetValue(numericIndexedVectorBuild(map(1, toFloat32(0.1))), 1), toTypeName(numericIndexedVectorGetValue(numericIndexedVectorBuild(map(1, toInt8(1))), 1));
SELECT numericIndexedVectorGetValue(numericIndexedVectorBuild(map(1, 2)), number), numericIndexedVectorGetValue(numericIndexedVectorBuild(map(1, 2)), NULL) FROM numbers(2);
SELECT numericIndexedVectorShortDebugString(numericIndexedVectorBuild(map(1, 10, 2, 20, 3, 0)));
SELECT numericIndexedVectorShortDebugString(numericIndexedVectorBuild(map(toInt8(1), toUInt16(3)))), numericIndexedVectorShortDebugString(numericIndexedVectorBuild(map(toUInt16(1), toFloat32(0.3))));
SELECT numericIndexedVectorShortDebugString(numericIndexedVectorBuild(map(toInt32(1), 1e9))), numericIndexedVectorShortDebugString(numericIndexedVectorBuild(map(toInt16(1), toInt64(-5))));
CREATE TABLE vectors (k UInt8, v AggregateFunction(groupNumericIndexedVector, UInt8, Int8), w AggregateFunction(groupNumericIndexedVector, UInt8, Int8)) ENGINE = Memory;
INSERT INTO vectors SELECT 1, numericIndexedVectorBuild(mapFromArrays([1, 2, 3, 5, 6, 8], arrayMap(x -> toInt8(x), [5, -3, 0, 7, 0, 1]))), numericIndexedVectorBuild(mapFromArrays([2, 3, 4, 5, 6, 7], arrayMap(x -> toInt8(x), [-3, 4, 0, -2, 0, 9])));
INSERT INTO vectors SELECT 2, numericIndexedVectorBuild(mapFromArrays([1, 2, 3, 5, 6, 8], arrayMap(x -> toInt8(x), [5, -3, 0, 7, 0, 1]))), numericIndexedVectorBuild(mapFromArrays([2, 3, 4, 5, 9], arrayMap(x -> toInt8(x), [1, 1, 1, 1, 1])));
INSERT INTO vectors SELECT 3, numericIndexedVectorBuild(mapFromArrays([1, 2, 3, 5, 6, 8], arrayMap(x -> toInt8(x), [5, -3, 0, 7, 0, 1]))), groupNumericIndexedVectorState(toUInt8(number), toInt8(number)) FROM numbers(0);
SELECT k, numericIndexedVectorToMap(numericIndexedVectorPointwiseAdd(v, w)), numericIndexedVectorToMap(numericIndexedVectorPointwiseSubtract(v, w)), numericIndexedVectorToMap(numericIndexedVectorPointwiseSubtract(w, v)) FROM vectors ORDER BY k;
SELECT k, numericIndexedVectorToMap(numericIndexedVectorPointwiseMultiply(v, w)), numericIndexedVectorToMap(numericIndexedVectorPointwiseDivide(v, w)), numericIndexedVectorToMap(numericIndexedVectorPointwiseDivide(w, v)) FROM vectors ORDER BY k;
SELECT k, numericIndexedVectorToMap(numericIndexedVectorPointwiseEqual(v, w)), numericIndexedVectorToMap(numericIndexedVectorPointwiseNotEqual(v, w)) FROM vectors ORDER BY k;
SELECT k, numericIndexedVectorToMap(numericIndexedVectorPointwiseLess(v, w)), numericIndexedVectorToMap(numericIndexedVectorPointwiseLessEqual(v, w)) FROM vectors ORDER BY k;
SELECT k, numericIndexedVectorToMap(numericIndexedVectorPointwiseGreater(v, w)), numericIndexedVectorToMap(numericIndexedVectorPointwiseGreaterEqual(v, w)) FROM vectors ORDER BY k;
SELECT number, numericIndexedVectorToMap(numericIndexedVectorPointwiseAdd(v, number)), numericIndexedVectorToMap(numericIndexedVectorPointwiseSubtract(v, number)), numericIndexedVectorToMap(numericIndexedVectorPointwiseMultiply(v, number)), numericIndexedVectorToMap(numericIndexedVectorPointwiseDivide(v, number)) FROM vectors, (SELECT arrayJoin([0, 1, 2, -3, 100, 1000]) AS number) AS n WHERE k = 1 ORDER BY number;
SELECT number, numericIndexedVectorToMap(numericIndexedVectorPointwiseEqual(v, number)), numericIndexedVectorToMap(numericIndexedVectorPointwiseNotEqual(v, number)), numericIndexedVectorToMap(numericIndexedVectorPointwiseLess(v, number)), numericIndexedVectorToMap(numericIndexedVectorPointwiseLessEqual(v, number)) FROM vectors, (SELECT arrayJoin([0, 1, 2, -3, 100, 1000]) AS number) AS n WHERE k = 1 ORDER BY number;
SELECT number, numericIndexedVectorToMap(numericIndexedVectorPointwiseGreater(v, number)), numericIndexedVectorToMap(numericIndexedVectorPointwiseGreaterEqual(v, number)) FROM vectors, (SELECT arrayJoin([0, 1, 2, -3, 100, 1000]) AS number) AS n WHERE k = 1 ORDER BY number;
-- Floats are numbers of 40 bits before the point and 24 behind it.
WITH numericIndexedVectorBuild(map(1, -1.5, 2, 2.5, 3, 0.)) AS v SELECT numericIndexedVectorToMap(numericIndexedVectorPointwiseAdd(v, 1)), numericIndexedVectorToMap(numericIndexedVectorPointwiseDivide(v, 3)), numericIndexedVectorToMap(numericIndexedVectorPointwiseMultiply(v, 1e30)), numericIndexedVectorToMap(numericIndexedVectorPointwiseMultiply(v, -1e30));
WITH numericIndexedVectorBuild(map(1, -0.3, 2, 0.3, 3, -0.0000001)) AS v SELECT numericIndexedVectorToMap(v), numericIndexedVectorToMap(numericIndexedVectorPointwiseEqual(v, -0.3)), numericIndexedVectorToMap(numericIndexedVectorPointwiseEqual(v, 0.3)), numericIndexedVectorToMap(numericIndexedVectorPointwiseEqual(v, 1e-10)), numericIndexedVectorToMap(numericIndexedVectorPointwiseNotEqual(v, 1e-10)), numericIndexedVectorToMap(numericIndexedVectorPointwiseEqual(v, 1e30));
WITH numericIndexedVectorBuild(map(1, -1.5, 2, 1., 3, 0.)) AS v SELECT numericIndexedVectorToMap(numericIndexedVectorPointwiseLess(v, 1e-10)), numericIndexedVectorToMap(numericIndexedVectorPointwiseGreater(v, 1e-10)), numericIndexedVectorToMap(numericIndexedVectorPointwiseGreaterEqual(v, 1e-10)), numericIndexedVectorToMap(numericIndexedVectorPointwiseLessEqual(v, 1e-10));
WITH numericIndexedVectorBuild(map(1, 1e-10)) AS v SELECT numericIndexedVectorToMap(v), numericIndexedVectorToMap(numericIndexedVectorPointwiseEqual(v, 0)), numericIndexedVectorToMap(numericIndexedVectorPointwiseMultiply(numericIndexedVectorBuild(map(1, 1.)), 1e-10));
WITH numericIndexedVectorBuild(map(1, toFloat32(0.1), 2, 5)) AS v SELECT numericIndexedVectorToMap(numericIndexedVectorPointwiseMultiply(v, 0.1)), numericIndexedVectorToMap(numericIndexedVectorPointwiseDivide(v, 0.1)), numericIndexedVectorGetValue(numericIndexedVectorPointwiseMultiply(v, -1), 1);
-- Ones pick to the bit; other products are computed in floats.
WITH numericIndexedVectorBuild(map(1, toInt64(1152921504606846977), 2, 0)) AS v, numericIndexedVectorBuild(map(1, toInt64(1))) AS o SELECT numericIndexedVectorToMap(numericIndexedVectorPointwiseMultiply(v, o)), numericIndexedVectorToMap(numericIndexedVectorPointwiseDivide(v, o)), numericIndexedVectorToMap(numericIndexedVectorPointwiseMultiply(o, 1152921504606846977)), numericIndexedVectorToMap(numericIndexedVectorPointwiseMultiply(v, 1)), numericIndexedVectorToMap(numericIndexedVectorPointwiseDivide(v, -1));
WITH numericIndexedVectorBuild(map(1, toUInt64(9000000000000000001))) AS v SELECT numericIndexedVectorToMap(numericIndexedVectorPointwiseMultiply(v, 3)), numericIndexedVectorToMap(numericIndexedVectorPointwiseAdd(v, 9000000000000000005::UInt64)), numericIndexedVectorToMap(numericIndexedVectorPointwiseLess(v, 9000000000000000005::UInt64)), numericIndexedVectorToMap(numericIndexedVectorPointwiseSubtract(v, 9000000000000000005::UInt64));
WITH numericIndexedVectorBuild(map(1, toUInt64(1), 2, 5)) AS v, numericIndexedVectorBuild(map(2, toUInt64(3), 3, 9)) AS w SELECT numericIndexedVectorToMap(numericIndexedVectorPointwiseSubtract(v, w)), numericIndexedVectorAllValueSum(numericIndexedVectorPointwiseSubtract(v, w)), numericIndexedVectorToMap(numericIndexedVectorPointwiseLess(v, w)), numericIndexedVectorToMap(numericIndexedVectorPointwiseGreater(v, w));
WITH numericIndexedVectorBuild(map(1, 2, 2, 0)) AS v SELECT numericIndexedVectorToMap(numericIndexedVectorPointwiseAdd(v, 300)), numericIndexedVectorToMap(numericIndexedVectorPointwiseAdd(v, -1.7)), numericIndexedVectorToMap(numericIndexedVectorPointwiseAdd(v, '3')), numericIndexedVectorToMap(numericIndexedVectorPointwiseAdd(v, toDecimal32('1.5', 1)));
SELECT numericIndexedVectorToMap(numericIndexedVectorPointwiseAdd(numericIndexedVectorBuild(map(1, 2)), NULL)), numericIndexedVectorToMap(numericIndexedVectorPointwiseAdd(numericIndexedVectorBuild(map(1, 2)), if(number = 1, NULL, number))) FROM numbers(3);
SELECT hex(numericIndexedVectorPointwiseAdd(numericIndexedVectorBuild(map(1, 2, 3, 0)), 1)), hex(numericIndexedVectorPointwiseMultiply(numericIndexedVectorBuild(map(1, 2, 3, 0)), 2)), hex(numericIndexedVectorPointwiseLess(numericIndexedVectorBuild(map(1, 2, 3, 0)), 2));
-- error: INCORRECT_DATA
SELECT numericIndexedVectorBuild(map(1, nan));
-- error: INCORRECT_DATA
SELECT numericIndexedVectorBuild(map(1, 1e13));
-- error: INCORRECT_DATA
SELECT numericIndexedVectorPointwiseAdd(numericIndexedVectorBuild(map(1, 1.)), inf);
-- error: INCORRECT_DATA
SELECT numericIndexedVectorPointwiseLess(numericIndexedVectorBuild(map(1, 1.)), 1e30);
-- error: INCORRECT_DATA
SELECT numericIndexedVectorPointwiseEqual(numericIndexedVectorBuild(map(1, 3::UInt64)), 18000000000000000005);
-- error: ILLEGAL_TYPE_OF_ARGUMENT
SELECT numericIndexedVectorPointwiseAdd(1, numericIndexedVectorBuild(map(1, 1.)));
-- error: ILLEGAL_TYPE_OF_ARGUMENT
SELECT numericIndexedVectorPointwiseAdd(numericIndexedVectorBuild(map(1, 1.)), numericIndexedVectorBuild(map(1, 1)));
-- error: ILLEGAL_TYPE_OF_ARGUMENT
SELECT numericIndexedVectorPointwiseMultiply(numericIndexedVectorBuild(map(1, 1.)), bitmapBuild([1, 2]));
-- error: ILLEGAL_TYPE_OF_ARGUMENT
SELECT numericIndexedVectorBuild(map('a', 1));
-- error: ILLEGAL_TYPE_OF_ARGUMENT
SELECT numericIndexedVectorBuild(map(toUInt64(1), 1));
-- error: ILLEGAL_TYPE_OF_ARGUMENT
SELECT numericIndexedVectorBuild(map(1, NULL));
-- error: ILLEGAL_TYPE_OF_ARGUMENT
SELECT numericIndexedVectorBuild([1]);
-- error: ILLEGAL_TYPE_OF_ARGUMENT
SELECT numericIndexedVectorCardinality(1);
-- error: NUMBER_OF_ARGUMENTS_DOESNT_MATCH
SELECT numericIndexedVectorPointwiseAdd(numericIndexedVectorBuild(map(1, 1.)));
