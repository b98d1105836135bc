SELECT naturalSortKey('a1'), naturalSortKey('a02b'), naturalSortKey('a0000'), naturalSortKey('x123456789y'), naturalSortKey(repeat('1', 25)), naturalSortKey(repeat('1', 105)), natural_sort_key('v1.10'), naturalSortKey(''), naturalSortKey('00'), naturalSortKey('0a0b');
SELECT s FROM (SELECT arrayJoin(['file10', 'file9', 'file1', 'file010', 'file']) AS s) ORDER BY naturalSortKey(s), s;
-- error: ILLEGAL_TYPE_OF_ARGUMENT
SELECT naturalSortKey(toFixedString('a1', 2));
SELECT caseFoldUTF8('Straße ÀÉ'), caseFoldUTF8('İI'), removeDiacriticsUTF8('Café İ ñ ö Å ø Ł'), removeAccentsUTF8('é'), normalizeUTF8NFKCCasefold('ﬁ Å Straße Ⅷ'), hex(caseFoldUTF8('İ')), hex(removeDiacriticsUTF8('İ')), caseFoldUTF8('Ⅷ ﬁ'), removeDiacriticsUTF8('한국어 日本 が é'), hex(normalizeUTF8NFKCCasefold(concat('a', unhex('C2AD'), 'b')));
SELECT removeDiacriticsUTF8('का किताब'), hex(removeDiacriticsUTF8(concat('a', unhex('E2839D')))), removeDiacriticsUTF8(''), removeDiacriticsUTF8('Ǻ ḱ ﬁ'), caseFoldUTF8(''), caseFoldUTF8('ᾼ Ꭰ ſ ς ẞ µ'), hex(caseFoldUTF8(concat('E', unhex('CC81')))), toTypeName(caseFoldUTF8('a')), caseFoldUTF8(NULL);
-- error: CANNOT_NORMALIZE_STRING
SELECT caseFoldUTF8(unhex('FF41'));
-- error: CANNOT_NORMALIZE_STRING
SELECT removeDiacriticsUTF8(unhex('FF41'));
-- error: ILLEGAL_COLUMN
SELECT caseFoldUTF8(toFixedString('AB', 2));
SELECT hex(convertCharset('Café', 'UTF-8', 'ISO-8859-1')), hex(convertCharset('Привет', 'UTF-8', 'windows-1251')), hex(convertCharset('Привет', 'UTF-8', 'UTF-16')), hex(convertCharset('Привет', 'UTF-8', 'UTF-16LE')), hex(convertCharset('Привет€', 'utf8', 'us-ascii')), convertCharset(unhex('CFF0E8'), 'cp1251', 'utf-8'), hex(convertCharset('日本', 'UTF-8', 'Shift_JIS')), hex(convertCharset(unhex('FF41'), 'UTF-8', 'UTF-16BE')), hex(convertCharset('a', 'utf-8', 'utf-32')), hex(convertCharset('€', 'UTF-8', 'koi8-r'));
SELECT hex(convertCharset(unhex('00410042'), 'UTF-16', 'UTF-8')), hex(convertCharset(unhex('FFFE4100'), 'UTF-16', 'UTF-8')), hex(convertCharset(unhex('80FF'), 'ISO-8859-1', 'UTF-8')), hex(convertCharset(unhex('80FF'), 'us-ascii', 'UTF-8')), hex(convertCharset(unhex('8081'), 'windows-1252', 'UTF-8')), hex(convertCharset(unhex('4100D8'), 'UTF-16LE', 'UTF-8')), hex(convertCharset('a😀', 'UTF-8', 'UTF-16BE')), hex(convertCharset('x', 'UTF-8', 'latin1')), hex(convertCharset('€', 'UTF-8', 'gbk')), hex(convertCharset('中', 'UTF-8', 'big5')), hex(convertCharset('中', 'UTF-8', 'euc-jp')), hex(convertCharset('中', 'UTF-8', 'gb18030')), hex(convertCharset('', 'UTF-8', 'UTF-16')), hex(convertCharset('я', 'UTF-8', 'ibm866')), hex(convertCharset('中', 'UTF-8', 'iso-2022-jp'));
-- error: CANNOT_CREATE_CHARSET_CONVERTER
SELECT convertCharset('a', 'utf-8', 'nope');
-- error: ILLEGAL_COLUMN
SELECT convertCharset('a', 'utf-8', materialize('utf-8'));
-- error: ILLEGAL_TYPE_OF_ARGUMENT
SELECT convertCharset(toFixedString('a', 1), 'utf-8', 'utf-8');
SELECT compareSubstrings('Saxony', 'Anglo-Saxon', 0, 6, 5), compareSubstrings('a', 'b', 0, 0, 1), compareSubstrings('b', 'a', 0, 0, 1), compareSubstrings('ab', 'a', 0, 0, 5), compareSubstrings('ab', 'abc', 5, 0, 5), compareSubstrings('ab', 'abc', 5, 5, 5), compareSubstrings('', '', 0, 0, 0), toTypeName(compareSubstrings('', '', 0, 0, 0)), compareSubstrings('ab', 'b', 1, 0, 5), compareSubstrings(materialize('abc'), 'abd', 0, 0, 3), compareSubstrings(toFixedString('a', 2), 'b', 0, 0, 1);
-- error: ILLEGAL_TYPE_OF_ARGUMENT
SELECT compareSubstrings('a', 'b', -1, 0, 1);
-- error: ILLEGAL_COLUMN
SELECT compareSubstrings('a', 'b', number, 0, 1) FROM numbers(2);
