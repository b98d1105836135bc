SELECT base64Encode('hello'), base64Decode('aGVsbG8='), tryBase64Decode('!!!'), base64URLEncode('a?b>');
SELECT base58Encode('hello');
SELECT base58Decode('Cn8eVZg');
SELECT hex('hi'), unhex('6869'), hex(3.5), hex(toDate('2024-01-01')), bin('a'), unbin('01100001'), hex(-1);
SELECT encodeURLComponent('a b&c'), decodeURLComponent('a%20b'), decodeURLFormComponent('a+b'), encodeURLFormComponent('a b');
SELECT lower(hex(MD5('a'))), lower(hex(SHA1('a'))), lower(hex(SHA256('a'))), lower(hex(SHA512('a'))), hex(SHA224('a'));
SELECT hex(MD4('a'));
SELECT char(65, 66), ascii('a'), crc32('hello'), CRC32IEEE('hello'), CRC64('hello');
-- error: INCORRECT_DATA
SELECT base64Decode('!');
SELECT formatReadableSize(1536), formatReadableQuantity(1234567), formatReadableDecimalSize(1500), formatReadableTimeDelta(3661);
SELECT bitmaskToList(10);
SELECT bitmaskToArray(10);
SELECT bitPositionsToArray(10);
SELECT basename('/a/b.txt');
SELECT toStringCutToZero('abc\0def');
SELECT mortonEncode(1, 2);
SELECT base64Encode(''), hex(''), unhex(''), length(unhex('00'));
