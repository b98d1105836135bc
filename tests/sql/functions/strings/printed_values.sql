SELECT printf('%a', 123.456), printf('%A', 0.5), printf('%.3a', 1.5), printf('%20a|', 1.5), printf('%a', 0.0), printf('%.0a', 1.5), printf('%+.1a', -3.14);
SELECT printf('%.5d', 123), printf('%.3d|%8.3d|%-8.3d|%08.3d|%+.3d', 5, 5, 5, 5, 5), printf('%.3x', 5), printf('%.10u', 5), printf('%05d|%.3d', -5, -5);
SELECT printf('%d %i', true, false), printf('%s, %.2s', 'abc', 'abc'), printf('%#x %#o % d', 255, 8, 5);
-- error: BAD_ARGUMENTS
SELECT printf('%d', 'a');
-- error: BAD_ARGUMENTS
SELECT printf('%s', 100);
-- error: BAD_ARGUMENTS
SELECT printf('%d', 1.5);
-- error: BAD_ARGUMENTS
SELECT printf('%f', 1);
-- error: BAD_ARGUMENTS
SELECT printf('%n', 1);
-- error: NUMBER_OF_ARGUMENTS_DOESNT_MATCH
SELECT printf('%s %s', 'a');
-- error: NUMBER_OF_ARGUMENTS_DOESNT_MATCH
SELECT printf('%s', 'a', 'b');
SELECT cutURLParameter('http://b.net/?a=b#?e=f', 'e'), cutURLParameter('http://b.net/?a=b?e=f&g', 'e'), cutURLParameter('http://b.net/?a=b?e=f?g=h', 'e'), cutURLParameter('http://b.net/?x#y?e=f#z', ['e', 'x']), cutURLParameter('http://b.net/?a=b', []), extractURLParameter('http://b.net/?a=b?e=f?g=h', 'e');
SELECT extractTextFromHTML('a<![CDATA[b ]]> c'), extractTextFromHTML('a<![CDATA[ ]]>c'), extractTextFromHTML('<![CDATA[ b ]]>x'), extractTextFromHTML('a<![CDATA[]]>c');
SELECT countSubstrings(e, 'a'), hasToken(e, 'a'), hasTokenCaseInsensitive(e, 'A'), position(e, 'a'), simpleJSONHas(j, 'a'), simpleJSONExtractInt(j, 'a') FROM values('e Enum8(\'a\' = 1), j Enum8(\'{"a":5}\' = 1)', ('a', '{"a":5}'));
SELECT hex(1.1::BFloat16), reinterpretAsUInt16(1.1::BFloat16), hex(reinterpretAsString(1.1::BFloat16)), reinterpret(16268::UInt16, 'BFloat16'), byteSize(), range(toIPv4('172.31.0.0'), toIPv4('172.31.0.3'));
SELECT toUUID(toFixedString('abcdabcdefghefgh', 16)), CAST(toFixedString('abcdabcdefghefgh', 16), 'UUID');
SELECT formatDateTimeInJodaSyntax(toDateTime64('2018-01-12 22:33:44.55', 6, 'UTC'), 'G GG GGG GGGG SSSSSSSSSS');
SELECT s, parseDateTimeBestEffortOrNull(s, 'UTC') FROM values('s String', '24-Dec-18 10:11', '24/DEC/18', '24.Dec.18', '24-December-99', '24-Dec-2018', '24-Dec-18T10:11:12', '24-Dec-8', '24-Dec-181', '12/2018', '12.2018', '1/2/2018');
SELECT transform(number, [], [1]) FROM numbers(2);
-- error: ILLEGAL_TYPE_OF_ARGUMENT
SELECT m[0] FROM (SELECT map('k', 1) AS m);
-- error: TOO_LARGE_ARRAY_SIZE
SELECT arrayNormalizedGini(arrayResize([1], 1048577), arrayResize([1], 1048577));
