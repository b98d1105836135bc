-- error: BAD_ARGUMENTS
SELECT multiFuzzyMatchAny('abc', 3, ['abc']);
SELECT multiFuzzyMatchAny('abcdef', 1, ['^bcd']), multiFuzzyMatchAny('abcdef', 1, ['^abx$']), multiFuzzyMatchAny('abc', 1, ['^abx$']), multiFuzzyMatchAny('abc', 1, ['^abcd$']), multiFuzzyMatchAny('abcd', 1, ['^abc$']), multiFuzzyMatchAny('abce', 1, ['^acbe$']), multiFuzzyMatchAny('abc', 0, ['a.c']), multiFuzzyMatchAny('xxaabbcc', 1, ['a+x+b+']), multiFuzzyMatchAny('', 1, ['ab']), multiFuzzyMatchAny('a', 1, ['ab']), multiFuzzyMatchAny('ABC', 1, ['(?i)abx']);
-- error: BAD_ARGUMENTS
SELECT multiFuzzyMatchAny('abc', 2, ['(abc']);
-- error: ILLEGAL_TYPE_OF_ARGUMENT
SELECT multiFuzzyMatchAny('abc', -1, ['abc']);
-- error: BAD_ARGUMENTS
SELECT multiFuzzyMatchAny('abc', 1000, ['abc']);
-- error: ILLEGAL_COLUMN
SELECT multiFuzzyMatchAny('abc', materialize(1), ['abc']);
-- error: ILLEGAL_TYPE_OF_ARGUMENT
SELECT multiFuzzyMatchAny('abc', 'a', ['abc']);
-- error: ILLEGAL_TYPE_OF_ARGUMENT
SELECT multiFuzzyMatchAny('abc', 1, []);
-- error: ILLEGAL_TYPE_OF_ARGUMENT
SELECT multiFuzzyMatchAny('abc', 1, 'abc');
-- error: BAD_ARGUMENTS
SELECT multiFuzzyMatchAny(materialize('abc'), 1, materialize(['abd', 'x']));
-- error: BAD_ARGUMENTS
SELECT multiFuzzyMatchAllIndices(materialize('abc'), 1, materialize(['abd', 'xxxx', 'c\\b']));
SELECT multiFuzzyMatchAnyIndex('abcd', 1, ['zzzzzz', 'abxd', 'yyyyyy']);
-- error: BAD_ARGUMENTS
SELECT multiFuzzyMatchAny('abc', 1, ['^$']);
-- error: BAD_ARGUMENTS
SELECT multiFuzzyMatchAny('abc', 1, ['a|bcd']);
-- error: BAD_ARGUMENTS
SELECT multiFuzzyMatchAny('abc', 1, ['.*']);
SELECT multiFuzzyMatchAny('abc', 0, ['.*']), multiFuzzyMatchAny('abc', 0, ['']), multiFuzzyMatchAny('', 0, ['']), multiFuzzyMatchAny('', 0, ['^$']), multiFuzzyMatchAny('a\nb', 0, ['a.b']), multiFuzzyMatchAny('aÄb', 0, ['a.b']), multiFuzzyMatchAny('aÄb', 1, ['a.b']), multiFuzzyMatchAny('a\nbc', 1, ['^bc$']), multiFuzzyMatchAny('abcdef', 1, ['^(abX|def)$']), multiFuzzyMatchAny('xabd', 1, ['abc$']), multiFuzzyMatchAny('abcd', 1, ['abc$']), multiFuzzyMatchAny('abcde', 1, ['abc$']), multiFuzzyMatchAny('abcde', 2, ['abc$']), multiFuzzyMatchAny('xabc', 1, ['^abc']), multiFuzzyMatchAny('xxabc', 1, ['^abc']);
SELECT multiFuzzyMatchAny('abc', 0, ['\\babc\\b']);
SELECT multiFuzzyMatchAny('abc', 2, ['abc$|abcdef']), multiFuzzyMatchAny('ab12', 1, ['[a-z]{3}[0-9]+']), multiFuzzyMatchAny('АБВ', 1, ['АБГ']), multiFuzzyMatchAny('АБВ', 1, ['АВГ']), multiFuzzyMatchAny('АБВ', 2, ['АБЩ']);
-- error: BAD_ARGUMENTS
SELECT multiFuzzyMatchAny('abc', 0, ['(?=a)b']);
-- error: BAD_ARGUMENTS
SELECT multiFuzzyMatchAny('abc', 1, ['(a)\\1']);
SELECT arraySort(multiFuzzyMatchAllIndices('abc', 1, ['abd', 'xbc', 'qqq', 'ab'])), multiFuzzyMatchAllIndices('zzzz', 1, ['abd']), multiFuzzyMatchAny('abc', 16, ['abcdefghijklmnopqrstuvwxyz']);
-- error: BAD_ARGUMENTS
SELECT multiFuzzyMatchAny('abc', 17, ['abcdefghijklmnopqrstuvwxyz']);
SELECT multiFuzzyMatchAny('abc', 3, ['abcdefghijklmnopqrstuvwxyz']);
-- error: ILLEGAL_TYPE_OF_ARGUMENT
SELECT multiFuzzyMatchAny(toNullable('abc'), 1, ['abd']) AS x, toTypeName(x), multiFuzzyMatchAny(toFixedString('abc', 3), 1, ['abd']);
