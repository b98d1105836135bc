-- Keyed and 128-bit hashes, digests, consistent hashes, the transforms of Iceberg.
SELECT hex(xxh3_128('ClickHouse')), toTypeName(xxh3_128('a', 'b')), xxh3_128('a', 'b'), xxh3_128(1), xxh3_128([1, 2]), xxh3_128('a', 1, 'c'), xxh3_128();
SELECT xxh3_128(NULL), toTypeName(xxh3_128(toNullable(1))), xxh3_128(toNullable('x'));
SELECT sipHash64Keyed((toUInt64(1), toUInt64(2)), 'a'), toTypeName(sipHash64Keyed((toUInt64(1), toUInt64(2)), 'a')), sipHash64Keyed((toUInt64(1), toUInt64(2)), 'a', 1, [1, 2]), sipHash64Keyed((toUInt64(1), toUInt64(2)));
SELECT sipHash64Keyed((number, number), 'a', 1, [1, 2]), hex(sipHash128Keyed((number, number), 'a', 1, ['x'])), hex(sipHash128ReferenceKeyed((number, number), 'a', 1, ['x'])), hex(sipHash128Reference('a', 1, ['x'])) FROM numbers(3);
SELECT number, sipHash64Keyed((toUInt64(number % 2), toUInt64(number % 3)), toString(number)) FROM numbers(8) ORDER BY number;
SELECT hex(sipHash128Reference(1)), hex(sipHash128Reference([1, 2])), hex(sipHash128Reference((1, 'a'))), hex(sipHash128Reference([[1]])), toTypeName(sipHash128Reference(1)), hex(sipHash128Reference()), hex(sipHash128());
SELECT sipHash64Keyed((toUInt64(1), toUInt64(2)), NULL), sipHash64Keyed(NULL, 'a'), sipHash64Keyed((toUInt64(1), toUInt64(2)), toNullable('a')), sipHash64Keyed((toUInt64(1), toUInt64(2)), CAST(NULL, 'Nullable(String)'));
-- error: BAD_ARGUMENTS
SELECT sipHash64Keyed((1, 2), 'a');
-- error: BAD_ARGUMENTS
SELECT sipHash64Keyed(1, 'a');
-- error: BAD_ARGUMENTS
SELECT sipHash128Keyed((toUInt64(1), toUInt64(2), toUInt64(3)), 'a');
SELECT cityHash64(), murmurHash2_32(), farmHash64(), toTypeName(murmurHash2_32());
SELECT hex(keccak256('')), hex(keccak256('abc')), toTypeName(keccak256('a')), hex(RIPEMD160('abc')), toTypeName(RIPEMD160('a'));
-- error: ILLEGAL_TYPE_OF_ARGUMENT
SELECT keccak256(1);
SELECT kostikConsistentHash(16045690984833335023, 2), toTypeName(kostikConsistentHash(1, 2)), kostikConsistentHash(1, 32768), kostikConsistentHash(-5::Int8, 10), yandexConsistentHash(cityHash64('a'), 32767);
SELECT kostikConsistentHash(number * 1234567891011, 1000), kostikConsistentHash(cityHash64(number), 100), kostikConsistentHash(cityHash64(number), 3), kostikConsistentHash(cityHash64(number), 20000) FROM numbers(20);
-- error: BAD_ARGUMENTS
SELECT kostikConsistentHash(1, 0);
-- error: BAD_ARGUMENTS
SELECT kostikConsistentHash(1, 40000);
-- error: ILLEGAL_TYPE_OF_ARGUMENT
SELECT kostikConsistentHash('a', 3);
-- error: ILLEGAL_COLUMN
SELECT kostikConsistentHash(1, number) FROM numbers(2);
SELECT xxHash64Spark('a'), toTypeName(xxHash64Spark('a')), xxHash64Spark(''), xxHash64Spark(NULL), xxHash64Spark(toNullable('a')), xxHash64Spark(CAST(NULL, 'Nullable(String)')), toTypeName(xxHash64Spark(toNullable('a')));
-- error: ILLEGAL_TYPE_OF_ARGUMENT
SELECT xxHash64Spark(1);
SELECT icebergHash(1.0::Float32), icebergHash(1), icebergHash('iceberg'), icebergHash(toDate('2017-11-16')), icebergHash(toUUID('f79c3e09-677c-4bbd-a479-3f349cb785e7')), icebergHash(14.20::Decimal(9, 2)), icebergHash(true), icebergHash(-1::Int8), icebergHash(toFixedString('abc', 5)), toTypeName(icebergHash(1)), icebergHash(-14.2::Decimal(38, 2)), icebergHash(0.0), icebergHash(-0.0), icebergHash(1.5), icebergHash(toDate32('2017-11-16')), icebergHash(18446744073709551615), icebergHash(NULL), icebergHash(0::Decimal(9, 2)), icebergHash(128::Decimal(9, 0)), icebergHash(-129::Decimal(9, 0));
-- error: ILLEGAL_TYPE_OF_ARGUMENT
SELECT icebergHash([1]);
-- error: ILLEGAL_TYPE_OF_ARGUMENT
SELECT icebergHash(1::Int128);
SELECT icebergBucket(5, 1.0::Float32), icebergBucket(5, 'a'), toTypeName(icebergBucket(5, 1)), icebergBucket(100, 'iceberg'), icebergBucket(7, toNullable(3));
-- error: BAD_ARGUMENTS
SELECT icebergBucket(0, 1);
-- error: BAD_ARGUMENTS
SELECT icebergBucket(4294967296, 1);
SELECT icebergTruncate(3, 'iceberg'), icebergTruncate(10, -5), icebergTruncate(10, 15::UInt8), icebergTruncate(50, 10.65::Decimal(9, 2)), toTypeName(icebergTruncate(10, 15::UInt8)), toTypeName(icebergTruncate(50, 10.65::Decimal(9, 2))), icebergTruncate(3, 'приве'), icebergTruncate(10, -5::Int64), icebergTruncate(3, toFixedString('abcdef', 6)), toTypeName(icebergTruncate(3, toFixedString('abcdef', 6)));
SELECT icebergTruncate(10, 18446744073709551615), toTypeName(icebergTruncate(10, 1::UInt64)), toTypeName(icebergTruncate(1000, 1::UInt8)), icebergTruncate(10, -10.65::Decimal(9, 2)), icebergTruncate(10, -128::Int8), icebergTruncate(10::UInt8, 250::UInt8);
-- error: BAD_ARGUMENTS
SELECT icebergTruncate(0, 1);
-- error: ILLEGAL_TYPE_OF_ARGUMENT
SELECT icebergTruncate(-1, 1);
-- error: ILLEGAL_TYPE_OF_ARGUMENT
SELECT icebergTruncate(7, toDate('2020-01-01'));
