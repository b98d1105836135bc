SELECT groupNumericIndexedVector(number % 3, number), toTypeName(groupNumericIndexedVector(number % 3, number)) FROM (SELECT toUInt8(number) AS number FROM numbers(10));
SELECT numericIndexedVectorToMap(groupNumericIndexedVectorState(a, b)), groupNumericIndexedVector(a, b), hex(groupNumericIndexedVectorState(a, b)) FROM values('a UInt8, b Int8', (1, 1), (1, -1), (2, -128), (2, -128), (3, 0), (3, 4), (4, 3), (4, 0));
SELECT number % 2 AS k, groupNumericIndexedVector(toUInt32(number), number / 2), numericIndexedVectorToMap(groupNumericIndexedVectorState(toUInt32(number), number / 2)) FROM numbers(6) GROUP BY k ORDER BY k;
SELECT groupNumericIndexedVector('BSI', 4, 2)(a, b), numericIndexedVectorToMap(groupNumericIndexedVectorState('BSI', 4, 2)(a, b)), toTypeName(groupNumericIndexedVectorState('BSI', 4, 2)(a, b)) FROM values('a UInt8, b Float64', (1, 1.3), (2, -1.3), (3, 100));
SELECT numericIndexedVectorGetValue(groupNumericIndexedVectorState('BSI', 4, 0)(1, toInt8(-1)), 1), numericIndexedVectorToMap(groupNumericIndexedVectorState('BSI', 4, 0)(1, toInt8(-1))), groupNumericIndexedVector('BSI', 4, 0)(1, toInt8(-1)), groupNumericIndexedVector('BSI', 4, 0)(1, toInt8(-8));
SELECT groupNumericIndexedVector('BSI', 0, 0)(1, 2), groupNumericIndexedVector('BSI', 1, 0)(1, 1), groupNumericIndexedVector('BSI', 1, 0)(1, toInt8(1));
WITH groupNumericIndexedVectorState('BSI', 0, 0)(1, 2) AS v SELECT hex(v), numericIndexedVectorToMap(v), numericIndexedVectorCardinality(v);
SELECT hex(groupNumericIndexedVectorState(number, 1)), hex(groupNumericIndexedVectorState(toInt16(number) - 20, toFloat32(number) / 8)) FROM (SELECT toUInt32(number) AS number FROM numbers(33));
SELECT hex(groupNumericIndexedVectorState(a, b)), hex(groupNumericIndexedVectorState('BSI', 4, 2)(a, b)), groupNumericIndexedVector(a, b) FROM values('a UInt8, b Float64', (1, 1.5)) WHERE 0;
SELECT groupNumericIndexedVector(a, b), toTypeName(groupNumericIndexedVector(a, b)), hex(groupNumericIndexedVectorState(a, b)) FROM values('a Nullable(UInt8), b Nullable(UInt8)', (1, 1), (NULL, 3), (2, NULL));
SELECT groupNumericIndexedVector(a, b), hex(groupNumericIndexedVectorState(a, b)) FROM values('a Nullable(UInt8), b UInt8', (NULL, 3));
SELECT groupNumericIndexedVector(NULL, 1), groupNumericIndexedVectorIf(1, 2, 0), groupNumericIndexedVectorIf(1, 2, 1), groupNumericIndexedVector(true, true), groupNumericIndexedVectorOrNull(1, 2), groupNumericIndexedVectorArray([1, 2], [3, 4]);
SELECT groupNumericIndexedVectorMerge(s), numericIndexedVectorToMap(groupNumericIndexedVectorMergeState(s)) FROM (SELECT groupNumericIndexedVectorState(toUInt8(number % 3), toInt16(number)) AS s FROM numbers(12) GROUP BY number % 4);
SELECT finalizeAggregation(groupNumericIndexedVectorState(1, 1.5)), finalizeAggregation(CAST(unhex('0800000000000000000001020000010400000104000001030101010101') AS AggregateFunction(groupNumericIndexedVector, UInt8, Int8)));
SELECT numericIndexedVectorToMap(numericIndexedVectorPointwiseEqual(v, w)), numericIndexedVectorToMap(numericIndexedVectorPointwiseEqual(v, 1.5)), numericIndexedVectorToMap(numericIndexedVectorPointwiseAdd(v, w)), toTypeName(numericIndexedVectorPointwiseAdd(v, w)) FROM (SELECT groupNumericIndexedVectorState('BSI', 4, 2)(1, 1.5) AS v, groupNumericIndexedVectorState('BSI', 8, 3)(1, 1.5) AS w);
WITH groupNumericIndexedVectorState('BSI', 4, 2)(1, -2.3) AS v, numericIndexedVectorBuild(map(1, 0.1)) AS w SELECT numericIndexedVectorToMap(numericIndexedVectorPointwiseAdd(v, w)), numericIndexedVectorToMap(numericIndexedVectorPointwiseSubtract(w, v)), numericIndexedVectorToMap(numericIndexedVectorPointwiseMultiply(v, w)), numericIndexedVectorToMap(numericIndexedVectorPointwiseDivide(v, w)), numericIndexedVectorToMap(numericIndexedVectorPointwiseLess(v, 100));
WITH groupNumericIndexedVectorState('BSI', 4, 2)(1, 1.) AS o, numericIndexedVectorBuild(map(1, 1e10, 2, 3.)) AS v SELECT hex(numericIndexedVectorPointwiseMultiply(o, v)), hex(numericIndexedVectorPointwiseDivide(v, o)), hex(numericIndexedVectorPointwiseAdd(o, 2)), hex(numericIndexedVectorPointwiseMultiply(o, 2)), hex(numericIndexedVectorPointwiseDivide(o, v));
WITH groupNumericIndexedVectorState('BSI', 4, 0)(1, toInt16(-3)) AS v SELECT numericIndexedVectorToMap(v), numericIndexedVectorToMap(numericIndexedVectorPointwiseEqual(v, -3)), numericIndexedVectorToMap(numericIndexedVectorPointwiseEqual(v, 13)), numericIndexedVectorToMap(numericIndexedVectorPointwiseLess(v, 9));
WITH groupNumericIndexedVectorState('BSI', 4, 0)(number + 1, toInt8(number) - 1) AS v SELECT numericIndexedVectorToMap(v), numericIndexedVectorToMap(numericIndexedVectorPointwiseGreater(v, 16)), numericIndexedVectorToMap(numericIndexedVectorPointwiseGreaterEqual(v, 16)), numericIndexedVectorToMap(numericIndexedVectorPointwiseLessEqual(v, 16)), numericIndexedVectorToMap(numericIndexedVectorPointwiseAdd(v, 16)) FROM (SELECT toUInt8(number) AS number FROM numbers(3));
WITH numericIndexedVectorPointwiseAdd(groupNumericIndexedVectorState('BSI', 16, 0)(1, toInt8(100)), 100) AS v SELECT numericIndexedVectorToMap(v), numericIndexedVectorGetValue(v, 1), numericIndexedVectorAllValueSum(v), numericIndexedVectorToMap(numericIndexedVectorPointwiseMultiply(v, 2));
CREATE TABLE added (k UInt8, v AggregateFunction(groupNumericIndexedVector, UInt32, Float64)) ENGINE = AggregatingMergeTree ORDER BY k;
INSERT INTO added SELECT number % 2, groupNumericIndexedVectorState(toUInt32(number), number / 4) FROM numbers(6) GROUP BY number % 2;
INSERT INTO added SELECT number % 2, groupNumericIndexedVectorState(toUInt32(number), number / 4) FROM numbers(3, 6) GROUP BY number % 2;
SELECT k, numericIndexedVectorToMap(v), numericIndexedVectorAllValueSum(v) FROM added FINAL ORDER BY k;
SELECT groupNumericIndexedVectorMerge(v) FROM added;
-- error: BAD_ARGUMENTS
SELECT numericIndexedVectorPointwiseAdd(groupNumericIndexedVectorState('BSI', 60, 2)(1, -2.3), numericIndexedVectorBuild(map(1, 0.1)));
-- error: BAD_ARGUMENTS
SELECT groupNumericIndexedVector('BSI', 4, 2)(1, 1);
-- error: NUMBER_OF_ARGUMENTS_DOESNT_MATCH
SELECT groupNumericIndexedVector('BSI', 4)(1, 1);
-- error: BAD_ARGUMENTS
SELECT groupNumericIndexedVector('BSI', 65, 0)(1, 1);
-- error: BAD_ARGUMENTS
SELECT groupNumericIndexedVector('BSI', 40, 25)(1, 1.);
-- error: BAD_ARGUMENTS
SELECT groupNumericIndexedVector('BSX', 4, 0)(1, 1);
-- error: BAD_ARGUMENTS
SELECT groupNumericIndexedVector(1)(1, 1.);
-- error: ILLEGAL_TYPE_OF_ARGUMENT
SELECT groupNumericIndexedVector(toUInt64(1), 1);
-- error: ILLEGAL_TYPE_OF_ARGUMENT
SELECT groupNumericIndexedVector(1, toDecimal32(1, 2));
-- error: NUMBER_OF_ARGUMENTS_DOESNT_MATCH
SELECT groupNumericIndexedVector(1);
-- error: INCORRECT_DATA
SELECT groupNumericIndexedVector(1, nan);
-- error: INCORRECT_DATA
SELECT groupNumericIndexedVector(1, 18446744073709551615);
