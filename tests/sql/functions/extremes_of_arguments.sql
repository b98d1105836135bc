-- Nothing is found from beyond the end of a text.
SELECT position('abc', 'a', 18446744073709551615), positionUTF8('äbc', 'b', 9223372036854775808), countSubstrings('aaa', 'a', 18446744073709551615), position('abc', 'c', 3);
-- Rounded to more digits than a number has, zero is left.
SELECT round(1.5, -400), round(-1.5, -400), round(inf, -400), trunc(1.5, -309), roundBankers(toFloat32(1.5), -60), round(nan, -400);
SELECT roundDown(nan, [1, 2]), roundDown(toFloat32(nan), [1]), roundDown(inf, [1, 2]);
-- No part of a domain is significant that is empty.
SELECT cutToFirstSignificantSubdomain('http://.com'), cutToFirstSignificantSubdomain('http://a..com'), cutToFirstSignificantSubdomainWithWWW('http://.co.uk'), cutToFirstSignificantSubdomain('http://a..b.com');
-- Numbers of an address that begin with zero, which some read as octal.
SELECT isIPv4String('1.2.3.04'), IPv4StringToNumOrNull('01.2.3.4'), IPv4StringToNumOrDefault('1.2.3.010'), IPv4StringToNum('0.0.0.0'), isIPv4String('10.0.0.1');
-- error: CANNOT_PARSE_IPV4
SELECT IPv4StringToNum('01.2.3.4');
-- Texts that are no such value.
-- error: CANNOT_PARSE_TEXT
SELECT toFloat64('1.2.3');
-- error: CANNOT_PARSE_TEXT
SELECT '1.5x'::Float32;
-- error: CANNOT_PARSE_NUMBER
SELECT toFloat64('abc');
-- error: CANNOT_PARSE_DATETIME
SELECT toDateTime('');
-- error: CANNOT_PARSE_DATETIME
SELECT toDateTime('2020-01-01 00:00:00') = '';
