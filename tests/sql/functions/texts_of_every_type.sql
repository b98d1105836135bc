-- Functions over texts, URLs and hashes with arguments that are seldom given.

-- Decoding of texts as they come: without padding, with line breaks, with bits to spare.
SELECT base64URLDecode('eyJhbGciOiJIUzI1NiIsInR5cCI6IkpXVCJ9') AS head, base64URLDecode('eyJzdWIiOiIxMjM0NTY3ODkwIn0') AS body;
SELECT hex(base64URLDecode('12')), hex(base64URLDecode('123')), hex(base64URLDecode('1234')), hex(base64URLDecode('12==')), hex(base64URLDecode('12=')), hex(base64URLDecode('123=')), hex(base64URLDecode(''));
SELECT hex(base64URLDecode('a-_b')), hex(base64URLDecode('a+/b')), hex(base64URLDecode('ab c')), hex(base64URLDecode(' a b\tc\nd\r')), hex(base64URLDecode('12 ==')), hex(base64URLDecode(' '));
SELECT hex(tryBase64URLDecode(materialize('12'))), tryBase64URLDecode('a!bc') = '', tryBase64URLDecode('1') = '', tryBase64URLDecode('12345') = '', tryBase64URLDecode('=12') = '', tryBase64URLDecode('ab=c') = '';
SELECT hex(base64Decode('12==')), hex(base64Decode('123=')), hex(base64Decode('abcd ')), hex(base64Decode('YW\nJj')), tryBase64Decode('12') = '', tryBase64Decode('ab c') = '', tryBase64Decode('a-_b') = '';
-- error: INCORRECT_DATA
SELECT base64URLDecode('1');
-- error: INCORRECT_DATA
SELECT base64URLDecode('a!bc');
-- error: INCORRECT_DATA
SELECT base64URLDecode('1234=');
-- error: INCORRECT_DATA
SELECT base64Decode('12=');
SELECT hex(base58Decode('1', 1)), hex(base58Decode('11', 2)), hex(base58Decode('2n', 1)), base58Decode('4h3c6xC6Mc', 7), base58Decode('4h3c6xC6Mc'), hex(base58Decode('11', 0)), base58Decode('1', NULL);
SELECT hex(tryBase58Decode('4h3c6xC6Mc', 7)), tryBase58Decode('4h3c6xC6Mc', 6) = '', tryBase58Decode('1', 2) = '', hex(tryBase58Decode(materialize('11'), toUInt64(2)));
-- error: INCORRECT_DATA
SELECT base58Decode('11', 1);
-- error: ILLEGAL_TYPE_OF_ARGUMENT
SELECT base58Decode('1', -1);
-- error: ILLEGAL_TYPE_OF_ARGUMENT
SELECT base58Decode('1', 1.5);
SELECT hex(unbin('abc')), hex(unbin('12')), hex(unbin('10101010x')), hex(unbin('01234567')), hex(unbin(toFixedString('ab', 3))), hex(unbin('0000000g'));
SELECT hex(unhex('x')), hex(unhex('x0')), hex(unhex('xx')), hex(unhex('1x')), hex(unhex('x1x')), hex(unhex('zz1')), hex(unhex(toFixedString('ab', 3))), hex(unhex('1F0'));

-- Positions and lengths with a fraction, which is left out.
SELECT substring('abcdef', 2.7), substring('abcdef', -2.7), substring('abcdef', 2.7, 2.9), substring('abcdef', toFloat32(2.7), 2), substring(materialize('abcdef'), materialize(2.7), 1), substring('abcdef', 1, -1.5);
SELECT left('abcdef', 2.7), left('abcdef', -2.7), right('abcdef', 2.7), right('abcdef', -2.7), leftUTF8('äbcdef', materialize(2.7)), rightUTF8('abcdeä', 2.7), substringUTF8('äöüß', 2.7, 2.5);
SELECT hex(bitSlice('abc', 2.7)), hex(bitSlice('abc', 2.7, 9.5)), hex(bitSlice('abc', materialize(2.7)));
-- error: ILLEGAL_TYPE_OF_ARGUMENT
SELECT substring('abcdef', '2');

-- Texts.
SELECT regexpQuoteMeta('0\\|()^$.[?*+{:-}]=!<>#&~/'), hex(regexpQuoteMeta('\0a'));
SELECT soundex(''), soundex('12'), soundex('ab 12'), soundex(materialize(' Robert'));
SELECT concatAssumeInjective([1, 2, 3], [1, 2]) AS a, concatAssumeInjective(['a', 'b'], [1]), concatAssumeInjective((1, 2), 'x'), concatAssumeInjective(map('a', 1), map('b', 2)), toTypeName(a), concat([1], [2]);
SELECT concatAssumeInjective() = '', concat() = '', toTypeName(concat());
SELECT initcap(toFixedString('aB cd', 6)) AS s, toTypeName(s), initcap('aB cd-EF_g 1a'), initcap(materialize(toFixedString('xy', 2)));
SELECT visibleWidth(toFixedString('ab', 3)), visibleWidth(toFixedString('a\0b', 5)), visibleWidth('a\tb\nc'), visibleWidth('你好'), visibleWidth(['你']), visibleWidth('ä'), visibleWidth([toFixedString('ab', 3)]), visibleWidth('\x01'), visibleWidth(unhex('FFFE')), visibleWidth(1.5), visibleWidth(NULL);
SELECT stringBytesEntropy(''), stringBytesEntropy('aaa'), stringBytesEntropy('ab'), stringBytesEntropy(materialize('x'));
SELECT byteHammingDistance('abc', '1'), byteHammingDistance('', 'abc'), byteHammingDistance('abc', 'abd'), byteHammingDistance(materialize('abc'), 'abcd'), mismatches('abc', '');
SELECT printf(materialize('%5d|%-5s|'), 42, 'x'), printf(if(number = 0, '%d', 'x%dx'), number) FROM numbers(2);
SELECT printf(toNullable('%d'), 1) AS p, toTypeName(p);

-- Numbers for people.
SELECT formatReadableSize(nan), formatReadableSize(inf), formatReadableDecimalSize(-inf), formatReadableDecimalSize(nan), formatReadableQuantity(nan), formatReadableQuantity(inf), formatReadableSize(nan, 2);
SELECT formatReadableTimeDelta(18446744073709551615), formatReadableTimeDelta(1e15), formatReadableTimeDelta(1e16), formatReadableTimeDelta(-1e18), formatReadableTimeDelta(1e30), formatReadableTimeDelta(1e18, 'hours'), formatReadableTimeDelta(1e30, 'seconds'), formatReadableTimeDelta(18446744073709551615, 'months', 'days');

-- Names.
SELECT errorCodeToName(-7) = '', errorCodeToName(5000) = '', errorCodeToName(0), errorCodeToName(1002), errorCodeToName(18446744073709551615) = '', errorCodeToName(4294967297), errorCodeToName(1.5), errorCodeToName(materialize(60));
SELECT getSizeOfEnumType(CAST('a', 'Enum8(\'a\' = 1)')) AS a, getSizeOfEnumType(CAST('a', 'Enum16(\'a\' = 1, \'b\' = 1000)')) AS b, toTypeName(a), toTypeName(b);

-- URLs.
SELECT cutWWW('http://user@www.a.co.uk:80/p'), cutWWW('http://user:pw@www.a.co.uk/'), cutWWW('//www.a.com/p'), cutWWW('www.a.com/p'), cutWWW('http://www.'), cutWWW('http://a/u@www.b.com'), cutWWW('ht tp://www.a.com'), cutWWW('http://www.a.com');
SELECT netloc('2024-01-01 00:00:00') = '', netloc('ab c') = '', netloc('a b/c') = '', netloc('{"a":1}') = '', netloc('a.b'), netloc('user:pw@host:80/x'), netloc('http://us er@host'), netloc('http://u%20s@b/c'), netloc('http://u;s:p;w@b/c'), netloc('http://a=b/c'), netloc('http://u@a%b:80/c'), netloc('http://[::1]:80/x') = '', netloc('mailto:a@b.c');
SELECT cutToFirstSignificantSubdomainCustom(NULL, 'none'), firstSignificantSubdomainCustomRFC('a', NULL), cutToFirstSignificantSubdomainCustomWithWWW(1, NULL) AS x, toTypeName(x);
-- error: TLD_LIST_NOT_FOUND
SELECT cutToFirstSignificantSubdomainCustom(toNullable('http://a.b.c'), 'none');
SELECT number, URLHash('http://a.b/c/d?e#f', number), URLHash(materialize('http://a.b//c'), number), URLHash('a/b/c', number), URLHash('HTTP://a.b/c', number), URLHash('http://a.b/', number), URLHash('http:///c', number) FROM numbers(7);
SELECT URLHash('http://a.b/c', -3) = cityHash64(''), URLHash('http://a.b/c', 18446744073709551615) = cityHash64(''), URLHash('http://a.b/c/d', toInt128(1)), URLHash('http://a.b/c/d', true), URLHash('abc', 1) = cityHash64('');

-- Bool where an unsigned integer is taken.
SELECT hilbertEncode(true, false), hilbertEncode(true), hilbertDecode(2, true), mortonEncode(true, 2), mortonEncode((1, 2), true, true), mortonDecode(true, 3), sqidEncode(true, 2);
SELECT h3NumHexagons(true), geoToH3(55.7, 37.6, true), h3ToChildren(579205133326352383, true), length(h3kRing(579205133326352383, true)), length(h3GetPentagonIndexes(true)), geohashesInBox(1.0, 2.0, 1.1, 2.1, true);
SELECT IPv4NumToString(true), IPv4NumToStringClassC(true), INET_NTOA(true);

-- Places.
SELECT number AS r, h3EdgeLengthM(toUInt8(r)), h3EdgeLengthKm(toUInt8(r)) FROM numbers(16);
SELECT stringToH3('abc'), stringToH3('0x12'), stringToH3('-1'), stringToH3(' 12 34'), stringToH3('1ffffffffffffffff'), stringToH3(toFixedString('ab', 3)), stringToH3('89184926cc3ffff'), stringToH3('2024-01-01');
-- error: ILLEGAL_TYPE_OF_ARGUMENT
SELECT stringToH3('0');
-- error: ILLEGAL_TYPE_OF_ARGUMENT
SELECT stringToH3('');
SELECT geohashDecode('abc'), geohashDecode('zbc'), geohashDecode('EZS42'), geohashDecode('ezs42'), geohashDecode('ezs4a'), geohashDecode(''), geohashDecode(toFixedString('ab', 3));
SELECT geohashDecode('0123456789bcdefg') = geohashDecode('0123456789bc'), geohashDecode('2024-01-01 00:00:00');

-- Hashes of values of other types.
SELECT intHash32(toDecimal64('-1.23', 2)), intHash64(toDecimal32('1.23', 2)), intHash64(materialize(toDecimal64('-1.23', 2))), intHash32(toIPv4('1.2.3.4')), intHash64(toIPv4('1.2.3.4')), intHash32(toDate32('1950-01-01')), intHash64(materialize(toDate32('1950-01-01')));
-- error: ILLEGAL_TYPE_OF_ARGUMENT
SELECT intHash64(toDecimal128('1.23', 2));
SELECT cityHash64(INTERVAL 2 DAY), farmHash64(INTERVAL -2 MONTH), metroHash64(INTERVAL 2 DAY), sipHash64(INTERVAL 2 DAY), cityHash64(toTime('12:34:56')), farmHash64(toTime('12:34:56')), cityHash64(toBFloat16(1.5)), xxHash64(toBFloat16(1.5)), xxHash32(toBFloat16(-2.5)), cityHash64([toBFloat16(1.5)]), cityHash64(toFloat32(1.5));
SELECT hex(MD5(toIPv6('::1'))), hex(SHA1(toIPv6('::1'))), hex(SHA256(toNullable(toIPv6('::1')))), hex(keccak256(materialize(toIPv6('::1')))), hex(MD4(toIPv6('::1'))), hex(RIPEMD160(toIPv6('::1'))), hex(SHA512_256(toIPv6('::1')));
-- error: ILLEGAL_TYPE_OF_ARGUMENT
SELECT MD5(toIPv4('1.1.1.1'));
SELECT sipHash64Keyed(), hex(sipHash128Keyed()), hex(sipHash128ReferenceKeyed()), toTypeName(sipHash64Keyed()), javaHash(), hiveHash(), javaHashUTF16LE();
SELECT hiveHash(1), hiveHash(-7), hiveHash(300), hiveHash(18446744073709551615), hiveHash(1.5), hiveHash(toDate('2024-02-29')), hiveHash(toDateTime('2024-05-17 13:37:42', 'UTC')), hiveHash(toDecimal64('1.23', 2)), hiveHash(toUUID('61f0c404-5cb3-11e7-907b-a6006ad3dba0')), hiveHash(toIPv4('1.2.3.4')), hiveHash(toIPv6('::1')), hiveHash(true), hiveHash(toInt256(-5)), hiveHash(INTERVAL 2 DAY), hiveHash(toBFloat16(1.5)), hiveHash(toDecimal256('1.23', 2)), hiveHash(CAST('a', 'Enum16(\'a\' = 300)')), hiveHash('abc');
SELECT javaHash(toInt8(-7)), javaHash(toInt32(-70000)), javaHash(toInt64(-5000000000)), javaHash(1.5), javaHash(toFloat32(1.5)), javaHash(toDateTime64('2024-05-17 13:37:42.123', 3, 'UTC')), javaHash(toDecimal32('1.23', 2)), javaHash(toUUID('61f0c404-5cb3-11e7-907b-a6006ad3dba0')), javaHash(toIPv4('1.2.3.4')), javaHash(toIPv6('::1')), javaHash(toUInt128(5)), javaHash(toDate32('1950-01-01')), javaHash(CAST('a', 'Enum8(\'a\' = -1)')), javaHash(INTERVAL -2 MONTH), javaHash(toTime('12:34:56')), javaHash(toFixedString('abc', 4));
SELECT javaHashUTF16LE(300), javaHashUTF16LE(toInt16(-300)), javaHashUTF16LE(18446744073709551615), javaHashUTF16LE(1.5), javaHashUTF16LE(toDate('2024-02-29')), javaHashUTF16LE(toDecimal128('1.23', 2)), javaHashUTF16LE(toIPv6('::1')), javaHashUTF16LE(toFixedString('abc', 4)), javaHashUTF16LE(convertCharset('test', 'utf-8', 'utf-16le'));
SELECT javaHash(materialize(toInt64(number) - 2)), hiveHash(number), hiveHash(if(number = 1, NULL, number)), javaHash(toUUID(concat('00000000-0000-0000-0000-00000000000', toString(number)))) FROM numbers(3);
-- error: NOT_IMPLEMENTED
SELECT javaHash(toUInt8(200));
-- error: NOT_IMPLEMENTED
SELECT hiveHash('a', 'b');
-- error: BAD_ARGUMENTS
SELECT javaHashUTF16LE('abc');
