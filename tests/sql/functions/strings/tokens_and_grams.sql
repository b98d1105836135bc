SELECT sparseGrams('alice'), sparseGrams('hello world foo', 3, 5), sparseGrams('hello world foo', 4, 10, 6), sparseGramsHashes('alice'), sparseGramsUTF8('Привет мир'), sparseGramsHashesUTF8('Привет'), toTypeName(sparseGrams('a')), toTypeName(sparseGramsHashes('a')), sparseGrams('ab'), sparseGrams('');
SELECT sparseGrams(concat('some longer text ', toString(number * 7919), ' goes here'), 5) FROM numbers(3);
-- error: BAD_ARGUMENTS
SELECT sparseGrams('abc', 2);
-- error: BAD_ARGUMENTS
SELECT sparseGrams('abc', 5, 4);
-- error: ILLEGAL_TYPE_OF_ARGUMENT
SELECT sparseGrams(toFixedString('abc', 3));
SELECT hasAnyTokens('hello big world', 'big'), hasAnyTokens('hello big world', ['big', 'x']), hasAllTokens('hello big world', 'big world'), hasAllTokens('hello big world', ['big', 'x']), hasAnyTokens('hello big world', ''), hasAllTokens('hello big world', ''), hasAnyTokens('a', []::Array(String)), hasAllTokens('a', []::Array(String)), toTypeName(hasAnyTokens('a', 'b')), hasAnyTokens('Hello', 'hello'), hasAnyTokens('hello-big', 'hello-big'), hasAnyTokens('hello-big', ['hello-big']), hasAllTokens('abc def', 'abc', 'ngrams'), hasAllTokens('abcdef', 'bcd', 'ngrams(3)'), hasAnyTokens('a b', ['a b'], 'splitByString');
SELECT hasAnyTokens('abcdef', 'cde', 'sparseGrams'), hasAnyTokens('a,b c', 'b c', 'splitByString([\',\'])'), hasAnyTokens('a,b c', 'b', 'array'), hasAnyTokens(['a,b c'], 'a,b c', 'array'), hasAnyTokens('a1b', 'b', 'splitByRegexp(\'[0-9]\')'), hasAnyTokens('ab', 'ab', 'ngrams'), hasAllTokens('abcd', 'ab', 'ngrams'), hasAllTokens('abcd', 'ab', 'ngrams(2)'), hasAnyTokens('abcd', 'x', 'ngrams(1)'), hasAllTokens('a b c', ['a', 'b', '']);
SELECT hasAnyToken('a b', 'b'), hasAllToken('a b', 'b'), hasPhrase('the quick brown fox', 'quick brown'), hasPhrase('the quick brown fox', 'quick fox'), matchPhrase('the quick', 'the quick'), hasPhrase('a', ''), hasPhrase('the-quick', 'the quick'), hasPhrase('ab cd', 'b c'), hasPhrase('abcd', 'bcd', 'ngrams(3)'), hasPhrase('x a b a c', 'a c'), hasPhrase('a a b', 'a b');
SELECT hasAnyTokens(['a b', 'c'], 'c'), hasAnyTokens(toNullable('a b'), 'a'), hasAnyTokens(NULL, 'a'), hasAnyTokens('a b', NULL), hasAnyTokens(toFixedString('a b', 5), 'b'), hasPhrase(NULL, 'a');
-- error: BAD_ARGUMENTS
SELECT hasAnyTokens('abc', 'abc', 'nope');
-- error: BAD_ARGUMENTS
SELECT hasPhrase('abc', 'abc', 'sparseGrams');
-- error: ILLEGAL_TYPE_OF_ARGUMENT
SELECT hasAnyTokens(1, 'a');
-- error: ILLEGAL_COLUMN
SELECT hasAnyTokens('a', materialize('a'));
SELECT tokens('hello-world a'), tokens('abcd', 'ngrams', 3), tokens('a,b', 'splitByString', [',']), tokens('a b', 'splitByNonAlpha'), tokens('x', 'array'), tokens('abcdefgh', 'sparseGrams'), tokens('a1b2', 'splitByRegexp', '[0-9]');
SELECT tokensForLikePattern('%hello wor%'), tokensForLikePattern('hello%wor ld_x'), tokensForLikePattern('a\\%b c%'), tokensForLikePattern('%abcd%', 'ngrams', 3), tokensForLikePattern('% hello wor%'), tokensForLikePattern('a b'), tokensForLikePattern('a_c d e%');
