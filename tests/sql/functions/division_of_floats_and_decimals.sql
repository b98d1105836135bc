SELECT 1 / toDecimal32(3, 4) AS x, toTypeName(x), toUInt64(10) / toDecimal32(3, 4), -1 / toDecimal64(3, 4), true / toDecimal32(3, 4), toInt8(5) / toDecimal256(3, 4);
SELECT toInt256(1) / toDecimal32(3, 4) AS x, toTypeName(x), toNullable(1) / toDecimal32(3, 4), materialize(1) / materialize(toDecimal32(3, 4));
SELECT toDecimal32(1, 4) / 3, toDecimal32(1, 4) / toDecimal32(3, 2);
-- error: DECIMAL_OVERFLOW
SELECT 1000000 / toDecimal32(3, 4);
SELECT intDiv(1.0, 0.001), intDiv(7, 0.5), intDiv(15, 5.5), toTypeName(intDiv(7, 0.5)), intDiv(toFloat64(7.9), toUInt8(2)), intDiv(-7.9, 2), intDiv(7, -2.5);
SELECT intDiv(toFloat32(1.0), toFloat32(0.001)) AS x, toTypeName(x), intDiv(toUInt64(1), 0.001), intDiv(toInt128(1), 0.001), intDiv(toDecimal32(7.5, 1), 0.5) AS y, toTypeName(y), intDiv(materialize(7), materialize(0.5));
SELECT intDivOrZero(7, 0.0), intDivOrZero(7, 0.5), intDivOrNull(7, 0.5), intDivOrNull(7, 0.);
-- error: ILLEGAL_DIVISION
SELECT intDiv(7, 0.0);
-- error: ILLEGAL_DIVISION
SELECT intDiv(1e30, 1);
-- error: ILLEGAL_DIVISION
SELECT intDiv(nan, 1);
-- error: ILLEGAL_DIVISION
SELECT intDiv(toUInt8(1), 0.001);
SELECT max2(1, nan), max2(nan, 1), min2(1, nan), min2(nan, 1), max2(-1.5, 2), min2(3, 2);
SELECT intDivOrZero(toInt8(-128), toInt8(-1)), intDivOrNull(toInt8(-128), toInt8(-1)), moduloOrNull(toInt8(-128), toInt8(-1)), positiveModuloOrNull(toInt8(-128), toInt8(-1)), intDivOrNull(toInt64('-9223372036854775808'), -1);
SELECT intDivOrZero(materialize(toInt8(-128)), toInt16(-1)), intDivOrZero(materialize(toInt16(-32768)), toInt8(-1)), intDivOrNull(materialize(toInt8(-127)), -1), moduloOrNull(materialize(toInt8(-127)), -1);
-- error: ILLEGAL_DIVISION
SELECT intDiv(toInt8(-128), toInt8(-1));
