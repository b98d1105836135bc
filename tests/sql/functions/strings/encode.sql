SELECT base64Encode('hello'), base64Decode('aGVsbG8='), tryBase64Decode('!!!'), base64URLEncode('a?b>');
-- gap: Function with name 'base58Encode' does not exist. Maybe you meant: ['base64Encode']. (UNKNOWN_FUNCTI
SELECT base58Encode('hello');
-- gap: Function with name 'base58Decode' does not exist. Maybe you meant: ['base64Decode']. (UNKNOWN_FUNCTI
SELECT base58Decode('Cn8eVZg');
SELECT hex('hi'), unhex('6869'), hex(3.5), hex(toDate('2024-01-01')), bin('a'), unbin('01100001'), hex(-1);
SELECT encodeURLComponent('a b&c'), decodeURLComponent('a%20b'), decodeURLFormComponent('a+b'), encodeURLFormComponent('a b');
SELECT lower(hex(MD5('a'))), lower(hex(SHA1('a'))), lower(hex(SHA256('a'))), lower(hex(SHA512('a'))), hex(SHA224('a'));
-- gap: Function with name 'MD4' does not exist. Maybe you meant: ['MD5']. (UNKNOWN_FUNCTION)
SELECT hex(MD4('a'));
SELECT char(65, 66), ascii('a'), crc32('hello'), CRC32IEEE('hello'), CRC64('hello');
-- error: INCORRECT_DATA
SELECT base64Decode('!');
SELECT formatReadableSize(1536), formatReadableQuantity(1234567), formatReadableDecimalSize(1500), formatReadableTimeDelta(3661);
SELECT bitmaskToList(10);
SELECT bitmaskToArray(10);
SELECT bitPositionsToArray(10);
SELECT basename('/a/b.txt');
-- gap: Function with name 'toStringCutToZero' does not exist. (UNKNOWN_FUNCTION)
SELECT toStringCutToZero('abc\0def');
-- gap: Function with name 'mortonEncode' does not exist. (UNKNOWN_FUNCTION)
SELECT mortonEncode(1, 2);
SELECT base64Encode(''), hex(''), unhex(''), length(unhex('00'));
SELECT base58Encode('\0\0a'), base58Encode(''), base58Decode('112g') = '\0\0a', tryBase58Decode('0OIl');
SELECT mortonEncode(5), mortonEncode(1, 2, 3), mortonEncode(4294967295, 4294967295), mortonDecode(2, 9), mortonDecode(3, 53);
