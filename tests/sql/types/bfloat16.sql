SELECT toBFloat16(3.14159), hex(toBFloat16(3.14159)), toBFloat16('1.1'), CAST('3.3' AS BFloat16), CAST(1.00390625 AS BFloat16), CAST(-1.999 AS BFloat16), toBFloat16(1e39), toBFloat16(nan);
SELECT toBFloat16(0.1)::Float64, toBFloat16(0.1)::Float32, toBFloat16(100.7)::Int32, toBFloat16(true), toBFloat16(65537::UInt32), toBool(toBFloat16(0.5));
SELECT toTypeName(toBFloat16(1) + toBFloat16(1)), toTypeName(toBFloat16(1) + 1), toTypeName(toBFloat16(1) * toFloat32(1)), toTypeName(toBFloat16(1) / 2), toTypeName(toBFloat16(1) + toInt64(1)), toTypeName(toBFloat16(1) - 1.5), toTypeName(toBFloat16(1) % 2);
SELECT toTypeName(sum(toBFloat16(1))), toTypeName(avg(toBFloat16(1))), toTypeName(max(toBFloat16(1))), toTypeName([toBFloat16(1), toFloat32(1)]), toTypeName([toBFloat16(1), 1]), toTypeName([toBFloat16(1), toInt16(1)]), toTypeName([toBFloat16(1), toFloat64(1)]);
SELECT toBFloat16(1.1) = toFloat32(1.1), toBFloat16(1.5) = 1.5, toBFloat16(1) < toBFloat16(2), toString(toBFloat16(0.1)), toBFloat16(0.1) + toBFloat16(0.2), toBFloat16(123456.789), toBFloat16(1) + 1;
SELECT sum(toBFloat16(number)), avg(toBFloat16(number)), min(toBFloat16(number + 0.3)) FROM numbers(10);
SELECT toBFloat16OrNull('x'), toBFloat16OrZero('x'), toBFloat16OrNull('1.5'), accurateCastOrNull(1.1, 'BFloat16'), accurateCastOrNull(1.5, 'BFloat16');
SELECT round(toBFloat16(1.77), 1), floor(toBFloat16(1.7)), toTypeName(round(toBFloat16(2)));
CREATE TABLE short (x BFloat16, n Nullable(BFloat16), a Array(BFloat16)) ENGINE = MergeTree ORDER BY x;
INSERT INTO short VALUES (1.1, NULL, [1.1]), (0.1, 2.25, []), (-3, 1e30, [0.1, 0.2]);
INSERT INTO short SELECT number / 3, NULL, [number / 7] FROM numbers(3);
SELECT * FROM short WHERE x > 0.05 ORDER BY x;
SELECT x, x * 2, toTypeName(n), toTypeName(a) FROM short ORDER BY x;
SELECT x, count() FROM short GROUP BY x ORDER BY x;
-- error: CANNOT_CONVERT_TYPE
SELECT accurateCast(1.1, 'BFloat16');
