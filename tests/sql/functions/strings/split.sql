SELECT splitByChar(',', 'a,b,,c'), splitByChar(',', ''), splitByChar(',', 'abc'), splitByChar(',', 'a,b,c', 2);
SELECT splitByString('ab', '1ab2ab3'), splitByString('', 'abc'), splitByRegexp('[0-9]+', 'a1b22c'), splitByWhitespace('  a  b c '), splitByNonAlpha('a,b;c');
SELECT arrayStringConcat(['a', 'b'], '-'), arrayStringConcat(['a', 'b']), arrayStringConcat([1, 2], ','), arrayStringConcat([], ',');
SELECT alphaTokens('abc1def'), ngrams('abcd', 2), tokens('hello, world'), extractAll('a1b22', '[0-9]+'), extract('a1b22', '[0-9]+'), extract('a1b22', '([a-z])[0-9]{2}');
SELECT extractAllGroupsHorizontal('a=1,b=2', '(\\w)=(\\d)'), extractAllGroupsVertical('a=1,b=2', '(\\w)=(\\d)'), regexpExtract('100-200', '(\\d+)-(\\d+)', 2);
SELECT extractGroups('hello world', '(\\w+) (\\w+)'), countMatches('aXbXc', 'X'), countMatchesCaseInsensitive('aXbxc', 'x');
SELECT splitByChar('|', 'tag|other')[1], length(splitByChar('|', '<a><b>')), arrayFilter(t -> t != '', splitByChar('|', '|sql|rust|'));
SELECT extractKeyValuePairs('name:neymar, age:31');
SELECT toTypeName(extractKeyValuePairs('a:b'));
-- error: BAD_ARGUMENTS
SELECT splitByChar('ab', 'x');
SELECT extractKeyValuePairs('a=1;b=2', '=', ';'), extractKeyValuePairs('a:"x y, z", b:c'), extractKeyValuePairs('a: b c:d'), extractKeyValuePairs('a:b:c, d:e'), extractKeyValuePairs('a::b'), extractKeyValuePairs('"a b":c d:"e'), extractKeyValuePairs('a:"b"c, d:1'), extractKeyValuePairs('a:b"c", d:1'), extractKeyValuePairs(':v, a:1'), extractKeyValuePairs('a:');
