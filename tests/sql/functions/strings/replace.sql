SELECT replace('hello', 'l', 'L'), replaceAll('aaa', 'a', 'bb'), replaceOne('aaa', 'a', 'b'), replace('abc', 'z', 'y');
SELECT replaceRegexpOne('hello', 'l+', '[\\0]'), replaceRegexpAll('hello', 'l', '<\\0>'), replaceRegexpAll('a1b22', '([0-9]+)', '(\\1)');
SELECT translate('hello', 'el', 'ip'), translateUTF8('жук', 'у', 'a');
SELECT overlay('Spark SQL', 'CORE', 7);
SELECT overlay('abcdef', 'X', 2, 3);
SELECT trim('  a  '), ltrim('  a'), rtrim('a  '), trim(LEADING 'x' FROM 'xxabc'), trim(BOTH 'x' FROM 'xax'), trimLeft('  a'), trimRight('a  '), trimBoth(' a ');
SELECT lpad('7', 3, '0'), rpad('7', 3, '0'), leftPad('abc', 5), rightPad('abc', 5, '*'), leftPadUTF8('日', 3, '*'), lpad('abcdef', 3);
SELECT format('{} and {}', 'a', 'b'), format('{1} {0}', 'a', 'b');
SELECT printf('%d-%s', 5, 'x');
SELECT concat('a', 'b', 'c'), concatWithSeparator('-', 'a', 'b'), concat_ws('-', 'a', 'b'), appendTrailingCharIfAbsent('path', '/'), repeat('x', 0), space(3) || '|';
SELECT initcap('hello world'), lower('ABC'), upper('abc'), ucase('a'), lcase('A'), lowerUTF8('ÀÉ'), initcapUTF8('élan vital');
SELECT reverse('abc'), soundex('Robert'), ascii('A');
-- gap: Function with name 'normalizeUTF8NFC' does not exist. (UNKNOWN_FUNCTION)
SELECT left(normalizeUTF8NFC('a'), 1);
SELECT editDistance('kitten', 'sitting'), damerauLevenshteinDistance('ab', 'ba'), levenshteinDistance('a', 'b');
-- gap: gives another result
SELECT stringJaccardIndex('clickhouse', 'mouse');
SELECT regexpQuoteMeta('a.b*c'), decodeXMLComponent('&lt;a&gt;'), encodeXMLComponent('<a>');
-- gap: Function with name 'extractTextFromHTML' does not exist. (UNKNOWN_FUNCTION)
SELECT extractTextFromHTML('<p>Hi <b>you</b></p>');
SELECT replaceRegexpAll('', '^', 'x'), replaceRegexpOne('abc', '(?i)B', 'x');
-- gap: gives another result
SELECT replaceRegexpAll('abc', '', '-');
SELECT replaceRegexpAll('abc', 'x*', '-'), replaceRegexpAll('axb', 'x*', '-'), replaceRegexpAll('abc', 'b*', '-'), replaceRegexpAll('hello', '^', 'x'), replaceRegexpAll('aXbXc', 'X|$', '-'), replaceRegexpAll('abbc', '(b)*', '[\\1]');
SELECT extractTextFromHTML('a<b>c</b>d'), extractTextFromHTML('  a   b\n c  '), extractTextFromHTML('<a href="x>y">t</a>'), extractTextFromHTML('a<![CDATA[b]]>c'), extractTextFromHTML('x<script>a<b></script>y'), extractTextFromHTML('a<!--x-->b'), extractTextFromHTML('a<br/>b'), extractTextFromHTML('<scripty>a</scripty>'), extractTextFromHTML(' <b> a </b> ');
SELECT stringJaccardIndex('aab', 'ab'), stringJaccardIndex('hello', 'yellow'), stringJaccardIndexUTF8('абв', 'аб'), stringJaccardIndex('', '');
SELECT length(normalizeUTF8NFD('é')), normalizeUTF8NFKC('ﬁ'), normalizeUTF8NFC('é');
