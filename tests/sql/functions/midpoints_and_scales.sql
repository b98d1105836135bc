SELECT avg2(3, 1.0), toTypeName(avg2(toUInt8(3), 1.0)), avg2(1, 2), toTypeName(avg2(1, 2)), avg2(toDate('2025-01-01'), toDate('2025-01-05')), toTypeName(avg2(toDate('2025-01-01'), toDate('2025-01-05'))), avg2(toDateTime('2025-01-01 00:00:00', 'UTC'), toDateTime('2025-01-01 01:00:01', 'UTC')), avg2(1::Decimal(9, 2), 2::Decimal(9, 2)), toTypeName(avg2(1::Decimal(9, 2), 2::Decimal(9, 2))), midpoint(1, 2, 3), toTypeName(midpoint(1, 2, 3)), midpoint(1), avg2(-1, 2), toTypeName(avg2(-1, 2)), avg2(toDateTime64('2025-01-01 00:00:00', 3, 'UTC'), toDateTime64('2025-01-01 00:00:01', 3, 'UTC')), avg2(255::UInt8, 255::UInt8), avg2(18446744073709551615, 18446744073709551615), midpoint(NULL, 1), avg2(1::UInt128, 3), toTypeName(avg2(1::Float32, 2)), midpoint(-5, -4), midpoint(toDate('2025-01-01'), toDate('2025-01-05'), toDate('2025-01-06'));
SELECT avg2(NULL, 1), avg2(toNullable(1), 2), midpoint(NULL, NULL), toTypeName(avg2(toNullable(1), 2)), midpoint(toNullable(NULL::Nullable(UInt8)), 4), toTypeName(midpoint(NULL, 1)), midpoint(NULL::Nullable(UInt8), NULL::Nullable(UInt8)), avg2(number, 3), midpoint(1.0, 2, 4), midpoint(1.5::Float32, 2) FROM numbers(3);
-- error: ILLEGAL_TYPE_OF_ARGUMENT
SELECT avg2('a', 'b');
-- error: NUMBER_OF_ARGUMENTS_DOESNT_MATCH
SELECT avg2(1);
-- error: ILLEGAL_TYPE_OF_ARGUMENT
SELECT avg2([1], [2]);
-- error: NUMBER_OF_ARGUMENTS_DOESNT_MATCH
SELECT midpoint();
-- error: NO_COMMON_TYPE
SELECT avg2(1, 'a');
SELECT divideDecimal(toDecimal256(-12, 0), toDecimal32(2.1, 1), 10), toTypeName(divideDecimal(toDecimal256(-12, 0), toDecimal32(2.1, 1), 10)), divideDecimal(1::Decimal(9, 2), 3::Decimal(9, 4)), toTypeName(divideDecimal(1::Decimal(9, 2), 3::Decimal(9, 4))), multiplyDecimal(toDecimal256(-12, 0), toDecimal32(-2.1, 1), 1), multiplyDecimal(1.23::Decimal(9, 2), 1.11::Decimal(9, 2)), multiplyDecimal(-1.25::Decimal(9, 2), 1.5::Decimal(9, 1), 2), divideDecimal(-7::Decimal(9, 0), 2::Decimal(9, 0)), divideDecimal(-7::Decimal(9, 0), 2::Decimal(9, 0), 3), multiplyDecimal(toNullable(1::Decimal(9, 2)), 2::Decimal(9, 0));
-- error: ILLEGAL_DIVISION
SELECT divideDecimal(1::Decimal(9, 2), 0::Decimal(9, 2));
-- error: ILLEGAL_TYPE_OF_ARGUMENT
SELECT divideDecimal(1::Decimal(9, 2), 2);
-- error: ILLEGAL_TYPE_OF_ARGUMENT
SELECT divideDecimal(1::Decimal(9, 2), 1::Decimal(9, 2), 77);
-- error: ILLEGAL_COLUMN
SELECT multiplyDecimal(1::Decimal(9, 2), 1::Decimal(9, 2), materialize(1));
-- error: DECIMAL_OVERFLOW
SELECT multiplyDecimal(toDecimal256('1e70', 0), toDecimal256('1e10', 0));
-- error: NUMBER_OF_ARGUMENTS_DOESNT_MATCH
SELECT divideDecimal(1::Decimal(9, 2));
SELECT divideOrNull(25, 0), divideOrNull(1, 2), toTypeName(divideOrNull(1, 2)), divideOrNull(1.5, 0.0), divideOrNull(NULL, 1), divideOrNull(1, -0.0), divideOrNull(1, nan), divideOrNull(toNullable(1), 2), divideOrNull(6, number) FROM numbers(3);
-- error: ILLEGAL_TYPE_OF_ARGUMENT
SELECT divideOrNull('a', 1);
-- error: ILLEGAL_TYPE_OF_ARGUMENT
SELECT divideOrNull(1::Decimal(9, 2), 4);
SELECT pmodOrNull(-7, 3), positive_modulo_or_null(7, 0), tuplePositiveModuloByNumber((15, -10, 5), 4), toTypeName(tuplePositiveModuloByNumber((15, -10, 5), 4)), scalarProduct((1, 2), (3, 4));
SELECT digits(123456, 2, 3), digits(18446744073709551615, 1, 20), digits(123456, -3, 2), digits(123456, -10, 5), digits(123456, -10, 6), digits(123456, 2, -2), digits(123456, 2, 0), digits(1::Int8, 1), digits(-128::Int8, 1), digits(123456, 7), digits(123456, 6), digits(123456, -1, -1), digits(123456, 1, -7), digits(123456, 1, -5), digits(1005, 2), toTypeName(digits(1, 1));
-- error: ZERO_ARRAY_OR_TUPLE_INDEX
SELECT digits(123, 0);
-- error: ILLEGAL_TYPE_OF_ARGUMENT
SELECT digits(1.5, 1);
SELECT isProbablePrime(97), isProbablePrime(1), isProbablePrime(0), isProbablePrime(2), isProbablePrime(toUInt128('170141183460469231731687303715884105727')), isProbablePrime(toUInt256('57896044618658097711785492504343953926634992332820282019728792003956564819949')), isProbablePrime(toUInt256('57896044618658097711785492504343953926634992332820282019728792003956564819951')), isProbablePrime(561), isProbablePrime(18446744073709551557), toTypeName(isProbablePrime(7)), isProbablePrime(91, 5), isProbablePrime(true);
-- error: ILLEGAL_TYPE_OF_ARGUMENT
SELECT isProbablePrime(-3);
-- error: BAD_ARGUMENTS
SELECT isProbablePrime(7, 0);
-- error: ILLEGAL_COLUMN
SELECT isProbablePrime(7, materialize(3));
