SELECT 'a' || 'b', concat('a', 1, 'b'), 'abc' = 'ABC', 'abc' < 'abd', 'a' < 'aa', '' < 'a';
SELECT length(''), empty(''), notEmpty('x'), length('日本'), lengthUTF8('日本');
SELECT toString(1), toString(-1.5), toString(true), toString([1, 2]), toString((1, 'a')), toString(NULL);
SELECT toFixedString('abc', 5) AS s, length(s), toTypeName(s), s = 'abc';
-- error: TOO_LARGE_STRING_SIZE
SELECT toFixedString('abcdef', 3);
SELECT hex('abc'), unhex('616263'), hex(255), bin(5), char(72, 105);
SELECT '\0' = char(0), length('a\0b'), hex('a\0b');
SELECT 'tab\there', 'new\nline', 'back\\slash', 'quote\'s';
SELECT toTypeName(toString(1)), toTypeName('a' || 'b'), toTypeName(concat('a', NULL)), concat('a', NULL);
SELECT unhex('FF') AS bad, length(bad), isValidUTF8(bad), isValidUTF8('ok'), hex(toValidUTF8(bad));
SELECT max(s), min(s) FROM (SELECT arrayJoin(['b', 'a', 'c', 'B']) AS s);
SELECT 'x' IN ('x', 'y'), 'z' IN ('x', 'y'), 'abc' BETWEEN 'abb' AND 'abd';
SELECT repeat('ab', 3), reverse('abc'), reverseUTF8('日本'), upper('abc'), lower('ÀB'), upperUTF8('àb');
SELECT CAST('abc' AS FixedString(4)) AS f, hex(f), f || 'x';
SELECT toLowCardinality('abc') AS s, toTypeName(s), s = 'abc', toTypeName(s || 'd');
