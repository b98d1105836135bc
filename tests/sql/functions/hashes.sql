SELECT cityHash64('hello'), cityHash64(1), cityHash64('a', 1), cityHash64(''), cityHash64([1, 2]), cityHash64((1, 'a'));
SELECT sipHash64('hello'), sipHash64(1, 2), halfMD5('hello'), sipHash64('');
-- gap: gives another result
SELECT hex(sipHash128('hello'));
SELECT xxHash32('hello'), xxHash64('hello'), xxh3('hello'), murmurHash2_32('hello'), murmurHash2_64('hello'), murmurHash3_32('hello'), murmurHash3_64('hello'), hex(murmurHash3_128('hello'));
SELECT javaHash('hello'), hiveHash('hello');
-- gap: Function with name 'farmHash64' does not exist. (UNKNOWN_FUNCTION)
SELECT farmHash64('hello');
-- gap: Function with name 'farmFingerprint64' does not exist. (UNKNOWN_FUNCTION)
SELECT farmFingerprint64('hello');
-- gap: Function with name 'metroHash64' does not exist. (UNKNOWN_FUNCTION)
SELECT metroHash64('hello');
SELECT intHash32(1), intHash64(1), intHash32(number) FROM numbers(2);
SELECT gccMurmurHash('a');
-- gap: Function with name 'URLHash' does not exist. (UNKNOWN_FUNCTION)
SELECT URLHash('http://a.b/c');
-- gap: Function with name 'URLHash' does not exist. (UNKNOWN_FUNCTION)
SELECT URLHash('http://a.b/c', 1);
-- gap: Function with name 'jumpConsistentHash' does not exist. (UNKNOWN_FUNCTION)
SELECT jumpConsistentHash(256, 10);
-- gap: Function with name 'kafkaMurmurHash' does not exist. (UNKNOWN_FUNCTION)
SELECT kafkaMurmurHash('a');
-- gap: Function with name 'wyHash64' does not exist. Maybe you meant: ['xxHash64']. (UNKNOWN_FUNCTION)
SELECT wyHash64('a');
SELECT cityHash64(number) % 10 AS b, count() FROM numbers(100) GROUP BY b ORDER BY b;
SELECT cityHash64(toDate('2024-01-01')), cityHash64(1.5), cityHash64(toNullable('a'));
-- gap: Hash of Map(String, UInt8): while executing function cityHash64. (NOT_IMPLEMENTED)
SELECT cityHash64(map('a', 1));
SELECT sum(cityHash64(number)) FROM numbers(1000);
SELECT sum(cityHash64(toString(number))), sum(sipHash64(number)), sum(xxHash64(toString(number))) FROM numbers(1000);
SELECT groupBitXor(cityHash64(number, toString(number))) FROM numbers(1000);
SELECT cityHash64(repeat('x', 15)), cityHash64(repeat('x', 17)), cityHash64(repeat('x', 33)), cityHash64(repeat('x', 65)), cityHash64(repeat('xyz', 100));
