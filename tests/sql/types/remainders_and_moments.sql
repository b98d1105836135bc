SELECT toUInt64(18446744073709551610) % toInt8(7), toUInt64(18446744073709551610) % toInt64(7), toUInt64(18446744073709551610) % 7, toUInt64(18446744073709551610) % -7;
SELECT materialize(toUInt64(18446744073709551610)) % materialize(toInt32(7)) AS x, materialize(toUInt64(18446744073709551610)) % toInt32(-7) AS y, toTypeName(x), toTypeName(y);
SELECT cityHash64(number) % toInt64(10) AS a, cityHash64(number) % -1000 AS b, positiveModulo(cityHash64(number), toInt64(10)) AS c FROM numbers(5);
SELECT toInt64(-300) % toUInt64(18446744073709551610), toInt16(-300) % toUInt64(18446744073709551610), toInt64(-300) % toUInt64(7), toInt64('-9223372036854775808') % toUInt64(18446744073709551615);
SELECT positiveModulo(toInt64(-300), toUInt64(7)), positiveModulo(toUInt64(18446744073709551610), toInt8(-7)), moduloOrZero(toUInt64(18446744073709551610), toInt64(0)), moduloOrNull(toUInt64(18446744073709551610), toInt64(0)), moduloOrNull(toInt64(-3), toUInt64(0)), moduloOrNull(toUInt64(18446744073709551610), toInt64(7));
-- error: ILLEGAL_DIVISION
SELECT toUInt64(18446744073709551610) % toInt64(0);
SELECT toNullable(toUInt64(18446744073709551610)) % toInt32(7), toUInt64(18446744073709551610) % CAST(NULL AS Nullable(Int32));
SELECT (1, 2) / 2 AS a, (1, 2) / 2.5 AS b, (15, -9) % 2 AS c, (15, -9) DIV 2 AS d, toTypeName(a), toTypeName(b), toTypeName(c), toTypeName(d);
SELECT materialize((1, 2)) / materialize(2), intDivOrZero((7, 8), 0), positiveModulo((7, -8), 3), (1, 2) / toDecimal32(1.25, 2);
-- error: ILLEGAL_TYPE_OF_ARGUMENT
SELECT 2 / (1, 2);
-- error: ILLEGAL_TYPE_OF_ARGUMENT
SELECT (1, 2) / (1, 2);
SELECT 7 DIV NULL, 7 MOD NULL, 7 MOD true, 7 DIV [1, 2], 7 DIV CASE WHEN 1 THEN 2 ELSE 3 END;
-- error: CANNOT_CONVERT_TYPE
SELECT toDate(nan);
-- error: CANNOT_CONVERT_TYPE
SELECT toDate(materialize(inf));
-- error: CANNOT_CONVERT_TYPE
SELECT toDateTime(materialize(-inf), 'UTC');
-- error: CANNOT_CONVERT_TYPE
SELECT toDate(toFloat32(nan));
-- error: CANNOT_CONVERT_TYPE
SELECT toTime(nan);
-- error: DECIMAL_OVERFLOW
SELECT toDateTime64(nan, 3);
-- error: DECIMAL_OVERFLOW
SELECT toDateTime64(nan, 0);
SELECT toDate32(inf), toDate32(-inf), toDateTime64(inf, 3, 'UTC'), toDateTime64(-inf, 3, 'UTC'), toDateTime64(inf, 0, 'UTC');
SELECT accurateCastOrNull(nan, 'Date'), CAST(if(number = 0, NULL, 1.5) AS Nullable(DateTime('UTC'))) FROM numbers(2);
SELECT toDateTime(1.9, 'UTC'), toDate(1.9), toDateTime(1e20, 'UTC'), toDate(1e20), toDate(-5.5), toDateTime(-5.5, 'UTC');
CREATE TABLE moments (d Date, t DateTime('UTC')) ENGINE = MergeTree ORDER BY d;
-- error: CANNOT_CONVERT_TYPE
INSERT INTO moments SELECT nan, 1;
-- error: CANNOT_CONVERT_TYPE
INSERT INTO moments SELECT 1, inf;
SELECT count() FROM moments;
SELECT toTime64(1e10, 3), toTime64(-1e10, 3), toTime64(3599999.5, 3), toTime64(5000000, 3), toTime64(inf, 3), toTime(5000000);
