-- What lies half way between two texts is rounded away from zero.
SELECT formatReadableSize(31360), formatReadableDecimalSize(30625), formatReadableQuantity(2.625), formatReadableSize(-31360);
SELECT formatReadableSize(31360, 1), formatReadableQuantity(2.5, 0), formatReadableQuantity(1.005, 2);
SELECT toDecimalString(0.125, 2), toDecimalString(toFloat32(2.5), 0), toDecimalString(-0.125, 2), toDecimalString(1.005, 2), toDecimalString(1e15 + 0.5, 0);
SELECT number / 8 AS x, formatReadableQuantity(x), toDecimalString(x, 1) FROM numbers(9);
