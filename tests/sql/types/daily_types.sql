-- DIV before a function whose name is a keyword.
SELECT materialize(7) DIV materialize(2), 9 DIV length('abcd'), 9 MOD length('abcd'), number DIV greatest(number, 2) FROM numbers(3);
-- Elements of tuples from their end.
SELECT (1, 2, 3).-1, (1, 2, 3).-3, (1, (2, 'x')).2.-1, tupleElement((1, 2, 3), -2);
SELECT t.-1, t.1 FROM (SELECT (1, 'x') AS t);
-- A decimal beside an integer keeps its digits.
SELECT toTypeName(1::Decimal(10, 3) + 1::Int32), toTypeName(1::Decimal(10, 3) - 1::Int64), toTypeName(1::Decimal(10, 3) * 1::UInt8), toTypeName(1::Decimal(10, 3) / 3::Int32), toTypeName(1::Int32 + 1::Decimal(10, 3)), toTypeName(1::Decimal(5, 2) + 1::Int64), toTypeName(1::Decimal(40, 3) + 1), toTypeName(1::Decimal(20, 3) + 1::UInt64);
SELECT toTypeName(1::Decimal(10, 3) + 1::Decimal(12, 2)), toTypeName(1::Decimal(5, 3) * 1::Decimal(6, 2)), toTypeName(toNullable(1::Decimal(10, 3)) + toNullable(1::Int32)), 1::Decimal(5, 2) + 99999, 1::Decimal(40, 3) + 1;
CREATE TABLE money (id UInt8, d Decimal(10, 3), n Nullable(Decimal(30, 5)), i Int64) ENGINE = MergeTree ORDER BY id;
INSERT INTO money VALUES (1, 1.125, 2.5, 3), (2, -7.5, NULL, -4), (3, 9999999.999, 0.00001, 100);
SELECT d + i AS s, toTypeName(s), d * i, d / i, i - d, n * i, toTypeName(n * i), sum(d + i) OVER (ORDER BY id) FROM money ORDER BY id;
SELECT sum(d * 2), toTypeName(sum(d * 2)), max(d - i), toTypeName(max(d - i)), avg(d + 1) FROM money;
-- A Float32 becomes a decimal in its own width.
SELECT toDecimal32(toFloat32(1.15), 2), toDecimal64(materialize(toFloat32(1.15)), 2), toFloat32(1.15)::Decimal(9, 2), CAST(materialize(toFloat32(8.2)) AS Decimal(9, 1)), CAST(materialize(1.15) AS Decimal(9, 2)), CAST(materialize(toFloat32(0.1)) AS Decimal(18, 9)), CAST(materialize(toFloat32(1.5)) AS Decimal(38, 10));
SELECT toDecimal32(f, 2), toDecimal128(f, 5) FROM (SELECT arrayJoin([1.15, 2.675, 4.35, 1.005, 0.29, 8.41]::Array(Float32)) AS f);
SELECT toDecimal32(f, 2) FROM (SELECT arrayJoin([1.15, 2.675, 4.35, 1.005, 0.29, 8.41]) AS f);
-- Integers that no float holds are compared as what they are.
SELECT 9007199254740993::Int64 = 9007199254740992.0, 9007199254740993::Int64 > 9007199254740992.0, 9223372036854775807 = 9223372036854775808., 18446744073709551615 = 1.8446744073709552e19, 18446744073709551615 < 1.8446744073709552e19;
SELECT materialize(9007199254740993::Int64) = materialize(9007199254740992.0), materialize(9007199254740993::Int64) > materialize(9007199254740992.0), materialize(9007199254740993::UInt64) > materialize(9007199254740992.0), materialize(16777217::Int32) = materialize(16777216::Float32), materialize(16777217::Int64) = materialize(16777216::Float32), materialize(9223372036854775807) = materialize(9223372036854775808.), materialize(18446744073709551615) < materialize(1.8446744073709552e19);
SELECT materialize(9007199254740993::Int64) = 9007199254740992.0, materialize(9007199254740993::Int64) > 9007199254740992.0, 9007199254740993::Int64 > materialize(9007199254740992.0), toNullable(materialize(9007199254740993::Int64)) = 9007199254740992.0, materialize(9007199254740993::Int128) = 9007199254740992.0, materialize(9007199254740993::UInt256) > 9007199254740992.0;
CREATE TABLE longs (i Int64, u Nullable(UInt64), f Float64, g Nullable(Float32)) ENGINE = MergeTree ORDER BY i;
INSERT INTO longs VALUES (9007199254740993, 9007199254740993, 9007199254740992, 1.5), (-9223372036854775808, NULL, -9223372036854775808, -9223372036854775808), (5, 18446744073709551615, 5, NULL), (6, 6, nan, nan), (7, 7, inf, -inf), (8, 8, 8.5, 7.5);
SELECT i, i = f, i != f, i < f, i <= f, i > f, i >= f, f < i, f >= i, u = f, u > g, i < g, g < i FROM longs ORDER BY i;
SELECT i FROM longs WHERE i > f ORDER BY i;
SELECT i FROM longs WHERE i >= 9007199254740992.0 ORDER BY i;
SELECT i FROM longs WHERE i < 5.5 ORDER BY i;
SELECT count() FROM longs AS a JOIN longs AS b ON a.i = b.i WHERE a.i <= b.f;
-- NaN is not the same as itself, where no side may be NULL.
SELECT materialize(nan) <=> materialize(nan), nan <=> nan, materialize(nan) IS NOT DISTINCT FROM nan, nan IS DISTINCT FROM nan, toNullable(nan) <=> toNullable(nan), (nan, 1) <=> (nan, 1), isNotDistinctFrom(toFloat32(nan), nan), 1. <=> 1., materialize(1.5) IS DISTINCT FROM 1.5;
-- Times of day are moved by seconds and by intervals, and subtracted.
SELECT '14:05:06'::Time + 60 AS a, toTypeName(a), '14:05:06'::Time - 60, 60 + '14:05:06'::Time, '14:05:06'::Time + (-60), '14:05:06'::Time + 1::Int64, '14:05:06'::Time + 1.5, '14:05:06'::Time + true;
SELECT '14:05:06.5'::Time64(1) + 60 AS a, toTypeName(a), '14:05:06.5'::Time64(1) - 3600;
SELECT '14:05:06'::Time - '14:00:00'::Time AS a, toTypeName(a), '14:05:06.5'::Time64(1) - '14:05:06'::Time AS b, toTypeName(b), '14:05:06'::Time - '14:05:06.25'::Time64(2) AS c, toTypeName(c);
SELECT '14:05:06'::Time + INTERVAL 1 HOUR AS a, toTypeName(a), '14:05:06'::Time - INTERVAL 1 MINUTE, INTERVAL 1 HOUR + '14:05:06'::Time, '14:05:06.5'::Time64(1) + INTERVAL 90 SECOND, '14:05:06.5'::Time64(1) + INTERVAL 5 MICROSECOND AS b, toTypeName(b), '14:05:06.5'::Time64(1) + INTERVAL 1 DAY;
SELECT '999:00:00'::Time + INTERVAL 5 HOUR, '-999:00:00'::Time - INTERVAL 5 HOUR, '999:59:59.5'::Time64(1) + 10, '00:00:01'::Time - 5;
SELECT addHours('14:05:06'::Time, 1) AS a, toTypeName(a), addMinutes('14:05:06.5'::Time64(1), 1), subtractSeconds('14:05:06'::Time, 6), toNullable('14:05:06'::Time) + 1 AS b, toTypeName(b), '14:05:06'::Time + NULL;
-- error: ILLEGAL_TYPE_OF_ARGUMENT
SELECT '14:05:06'::Time + INTERVAL 1 DAY;
-- error: ILLEGAL_TYPE_OF_ARGUMENT
SELECT 5 - '14:05:06'::Time;
SELECT '14:05:06'::Time = 50706, '14:05:06'::Time > 50705.5, '14:05:06.5'::Time64(1) = 50706.5, '14:05:06.5'::Time64(1) > 50706, toTypeName('14:05:06'::Time = 1), INTERVAL 3 DAY = 3, INTERVAL 3 DAY < 5.5, 2 > INTERVAL 3 DAY;
CREATE TABLE clocks (id UInt8, t Time, w Nullable(Time64(3))) ENGINE = MergeTree ORDER BY id;
INSERT INTO clocks VALUES (1, '08:00:00', '08:00:00.250'), (2, '-01:02:03', NULL), (3, '23:59:59', '100:00:00.001');
SELECT id, t + 1, t - id, w + INTERVAL 1 HOUR, w - t, t < 28801, w >= 28800.25, t + INTERVAL id MINUTE FROM clocks ORDER BY id;
SELECT CAST('14:05:06'::Time, 'DateTime(\'Asia/Tokyo\')'), CAST('100:00:00'::Time, 'Date'), CAST('-100:00:00'::Time, 'Date32'), CAST('-14:05:06.5'::Time64(1), 'DateTime64(2, \'Asia/Tokyo\')'), CAST('100:00:00'::Time, 'DateTime(\'UTC\')'), toDateTime('14:05:06'::Time, 'UTC'), toDate('14:05:06'::Time);
-- Names of types that other databases write at length.
SELECT 'a'::NATIONAL CHAR, 'a'::NATIONAL CHARACTER VARYING(3), 'a'::CHAR LARGE OBJECT, 'a'::BINARY VARYING(3), 'a'::NATIONAL CHARACTER LARGE OBJECT, toTypeName('a'::NCHAR LARGE OBJECT), toTypeName('a'::BINARY LARGE OBJECT), toTypeName('a'::CHARACTER VARYING), toTypeName(1::FLOAT(5)), 1::DOUBLE PRECISION AS large;
CREATE TABLE long_names (a INTEGER, b NATIONAL CHAR, c CHARACTER VARYING(10), d DOUBLE PRECISION, e FLOAT(7), f INT SIGNED, g BIGINT UNSIGNED, h BINARY LARGE OBJECT, i NCHAR LARGE OBJECT, j FLOAT(7, 3), k DOUBLE(10, 2), l BINARY(4)) ENGINE = Memory;
DESCRIBE long_names;
-- The value of a key of a map, by a name.
CREATE TABLE keyed (id UInt8, m Map(String, UInt64), n Map(UInt8, String), l Map(LowCardinality(String), Array(Int8))) ENGINE = MergeTree ORDER BY id;
INSERT INTO keyed VALUES (1, {'a': 1, 'b.c': 2, 'x y': 3}, {5: 'five'}, {'q': [1, 2]}), (2, {}, {}, {});
SELECT m.key_a, m.key_zz, n.key_5, n.key_6, l.key_q, l.key_z, m.`key_x y`, toTypeName(m.key_a) FROM keyed ORDER BY id;
SELECT m.key_a FROM (SELECT map('a', 1) AS m);
SELECT id FROM keyed WHERE m.key_a = 1;
