-- NULL within an array, a tuple or a map has a hash; as an argument it makes the result NULL. What was computed beneath it does not count.
SELECT cityHash64([NULL, 1]), cityHash64(['a', NULL]), cityHash64((NULL, 1)), cityHash64(tuple(NULL)), cityHash64(map('a', NULL)), cityHash64([[NULL, 1]]), cityHash64([(NULL, 1)]);
SELECT sipHash64([NULL, 3]), sipHash64((NULL, 'a')), sipHash64(toDecimal32(-1.25, 2), [NULL, 3]), xxHash64([NULL, 1]), farmHash64([NULL, 1]), metroHash64([NULL, 1]), murmurHash2_64([NULL, 1]), murmurHash3_64([NULL, 1]), xxh3([NULL, 1]);
SELECT xxHash32([NULL, 1]), murmurHash2_32([NULL, 1]), murmurHash3_32([NULL, 1]), xxHash32(tuple(NULL));
SELECT hex(sipHash128([NULL, 1])), hex(sipHash128Reference([NULL, 1])), hex(murmurHash3_128([NULL, 1])), hex(xxh3_128([NULL, 1]));
SELECT sipHash64Keyed((toUInt64(1), toUInt64(2)), [NULL, 1]), hex(sipHash128Keyed((toUInt64(1), toUInt64(2)), tuple(NULL))), hex(sipHash128ReferenceKeyed((toUInt64(1), toUInt64(2)), [NULL, 'a']));
SELECT sipHash64([materialize(CAST(NULL AS Nullable(UInt32))) - toInt32(7), 3]), cityHash64([toNullable(5)]) = cityHash64([5]), cityHash64([toNullable(toDecimal32(1, 2)), NULL]), cityHash64([toNullable(1.5), NULL]);
SELECT cityHash64(NULL, 1), cityHash64([NULL], NULL), sipHash64(toNullable(1), [NULL]);
SELECT groupArray(cityHash64([x, 1])) FROM (SELECT number % 2 = 0 ? NULL : number AS x FROM numbers(4));
