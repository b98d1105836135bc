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
SELECT hex(sipHash128(1)), hex(sipHash128('a', 'b')), hex(sipHash128('hello', 1)), hex(sipHash128([1, 2])), hex(sipHash128((1, 'a'))), sipHash128(NULL);
SELECT farmHash64(repeat('abc', number)), farmFingerprint64(repeat('abc', number)), metroHash64(repeat('abc', number)), wyHash64(repeat('abc', number)), hex(sipHash128(repeat('abc', number))) FROM numbers(100) WHERE number % 7 = 0 ORDER BY number;
SELECT farmHash64(1, 'a'), metroHash64(5), wyHash64('a', 'b'), wyHash64(1), kafkaMurmurHash('a', 'b'), kafkaMurmurHash(1);
SELECT URLHash('http://a.b/c/'), URLHash('http://a.b/c#f'), URLHash('http://a.b/c/d/', 0), URLHash('http://a.b/c/d/', 1), URLHash('http://a.b/c/d/', 2), URLHash('http://a.b/c?q=1/2', 2), URLHash('a.b/c', 0), URLHash('a.b/c', 1);
SELECT jumpConsistentHash(-1, 10), jumpConsistentHash(number, 1000) FROM numbers(3);
SELECT cityHash64(map('a', 1, 'b', 2)), cityHash64([('a', 1), ('b', 2)]);
