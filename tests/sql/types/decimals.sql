SELECT toDecimal32('1.23', 2), toDecimal64('1.23', 4), toDecimal128('123456789.123456789', 9), toTypeName(toDecimal32(1, 2));
SELECT toDecimal32('1.10', 2) + toDecimal32('2.205', 3) AS x, toTypeName(x);
SELECT toDecimal64('10', 2) * toDecimal64('0.5', 3) AS x, toTypeName(x);
SELECT toDecimal64('10', 2) / toDecimal64('3', 2) AS x, toTypeName(x);
SELECT toDecimal32('5', 2) - 7 AS x, toTypeName(x);
SELECT CAST('12.345' AS Decimal(10, 2)), CAST(1.5 AS Decimal(9, 1)), 12.345::Decimal(10, 3);
SELECT toDecimal32('1.5', 1) = 1.5, toDecimal32('1.5', 1) > 1, toDecimal32('1.50', 2) = toDecimal64('1.5', 1);
-- error: DECIMAL_OVERFLOW
SELECT toDecimal32('999999999', 0) * toDecimal32('999999999', 0);
-- error: ARGUMENT_OUT_OF_BOUND
SELECT toDecimal32('12345678901', 0);
SELECT toDecimal32OrZero('x', 2), toDecimal32OrNull('x', 2);
SELECT round(toDecimal32('2.345', 3), 2), floor(toDecimal32('-2.5', 1)), abs(toDecimal32('-2.5', 1));
SELECT sum(toDecimal32('0.1', 1)) AS s, toTypeName(s), avg(toDecimal32('0.1', 1)) FROM numbers(10);
SELECT toFloat64(toDecimal32('1.25', 2)), toInt32(toDecimal32('1.99', 2)), toString(toDecimal32('1.50', 2));
SELECT toDecimal64('-0.001', 3), toDecimal64('0', 5), -toDecimal32('1.5', 1);
SELECT toDecimal256('1234567890123456789012345678901234567890', 5) AS x, toTypeName(x);
SELECT min(d), max(d) FROM (SELECT toDecimal32(arrayJoin(['1.5', '-2.25', '10']), 2) AS d);
SELECT d, count() FROM (SELECT toDecimal32(number % 2, 1) AS d FROM numbers(4)) GROUP BY d ORDER BY d;
SELECT toTypeName(toDecimal32(1, 2) + 1.5), toDecimal32(1, 2) + 1.5;
