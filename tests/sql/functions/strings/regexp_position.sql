SELECT regexpPosition('foobar', 'o+'), regexpPosition('foobar', 'z'), regexpPosition('a1b22c', '[0-9]+', 1, 2), regexpPosition('a1b22c', '[0-9]+', 1, 2, 1), regexpInstr('ABC', 'b', 1, 1, 0, 'i'), regexp_instr('xaby', 'x(a)(b)', 1, 1, 0, '', 2), toTypeName(regexpPosition('a', 'a')), regexpPosition('abcabc', 'abc', 2), regexpPosition('abc', '', 1), regexpPosition('abc', '', 4), regexpPosition('abc', 'a', 10);
SELECT regexpPosition('xaxa', '(a)|(b)', 1, 1, 0, '', 2), regexpPosition('aXbX', 'x', 1, 2, 0, 'i'), regexpPosition('a\nb', '^b', 1, 1, 0, 'm'), regexpPosition('a\nb', 'a.b'), regexpPosition('a\nb', 'a.b', 1, 1, 0, 's'), regexpPosition('ab', '^b', 2), regexpPosition('aaa', 'a*', 1, 2), regexpPosition('baac', 'a*', 1, 2), regexpPosition('Abc', 'a', 1, 1, 0, 'ic'), regexpPosition('a\nb', '^b', 1, 1, 0, 'n'), regexpPosition('xab', 'a(b)', 1, 1, 1, '', 1);
SELECT regexpPosition('baac', 'a*'), regexpPosition('xaay', 'a*', 2), regexpPosition('aXaX', 'a|', 1, 2), regexpPosition('aa', '', 1, 2), regexpPosition('', ''), regexpPosition('', '', 1, 2), regexpPosition('baabaa', 'a+|$', 1, 3), regexpPosition('abc', '$'), regexpPosition('', 'a'), regexpPosition('é1', '1'), regexpPosition('é1', '.', 1, 2), regexpPosition('abc', 'b', NULL), regexpPosition('xxabxxab', '(a)(b)', 3, 2, 1, '', 1);
SELECT regexpPosition('abcb', 'b', number + 1) FROM numbers(4);
-- error: BAD_ARGUMENTS
SELECT regexpPosition('abc', 'a', 0);
-- error: BAD_ARGUMENTS
SELECT regexpPosition('abc', 'a', 1, 0);
-- error: BAD_ARGUMENTS
SELECT regexpPosition('abc', 'a', 1, 1, 2);
-- error: BAD_ARGUMENTS
SELECT regexpPosition('abc', 'a', 1, 1, 0, 'q');
-- error: INDEX_OF_POSITIONAL_ARGUMENT_IS_OUT_OF_RANGE
SELECT regexpPosition('abc', 'a', 1, 1, 0, '', 1);
-- error: CANNOT_COMPILE_REGEXP
SELECT regexpPosition('abc', '(');
-- error: ILLEGAL_COLUMN
SELECT regexpPosition('abc', materialize('b'));
SELECT REGEXP_SUBSTR('abc1', '(\\d)'), regexp_substr('a', '(a)'), instr('aB', 'b'), INSTR('abc', 'C');
SELECT notMatch('abc', 'b'), matchCaseInsensitive('ABC', 'b'), notMatchCaseInsensitive('ABC', 'b'), toTypeName(notMatch('a', 'b')), notMatch(NULL, 'a'), matchCaseInsensitive(materialize('ABC'), materialize('b'));
SELECT highlight('The quick brown fox', ['quick', 'FOX']), highlight('aaa', ['aa']), highlight('ab', ['a', 'b'], '<', '>'), highlight(NULL, ['a']), highlight('abc', ['']), highlight('', ['a']), highlight(toFixedString('abc', 5), ['b']);
-- error: NUMBER_OF_ARGUMENTS_DOESNT_MATCH
SELECT highlight('abc', ['a'], '<');
-- error: NUMBER_OF_ARGUMENTS_DOESNT_MATCH
SELECT highlight('abc', []::Array(String));
-- error: ILLEGAL_TYPE_OF_ARGUMENT
SELECT highlight('abc', 'a');
-- error: ILLEGAL_COLUMN
SELECT highlight('abc', [materialize('a')]);
