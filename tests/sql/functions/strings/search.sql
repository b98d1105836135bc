SELECT position('hello', 'l'), position('hello', 'z'), position('hello', 'l', 4), position('l' IN 'hello'), locate('l', 'hello');
SELECT positionCaseInsensitive('HeLLo', 'll'), positionUTF8('日本語', '語'), positionCaseInsensitiveUTF8('ÀB', 'à');
SELECT multiSearchAny('hello', ['x', 'll']), multiSearchFirstIndex('hello', ['x', 'lo', 'he']), multiSearchAllPositions('hello', ['l', 'o', 'z']), multiSearchFirstPosition('hello', ['l', 'e']);
SELECT countSubstrings('aaaa', 'aa'), countSubstrings('aaaa', 'a'), countSubstringsCaseInsensitive('aAaA', 'a');
SELECT hasToken('hello world', 'world'), hasToken('hello world', 'wor'), hasTokenCaseInsensitive('Hello World', 'world');
SELECT hasSubsequence('garbage', 'gae');
SELECT hasSubsequence('garbage', 'xyz');
SELECT 'hello' LIKE 'h%', 'hello' LIKE '_ello', 'hello' LIKE 'H%', 'hello' ILIKE 'H%', 'hello' NOT LIKE '%z%', 'a%b' LIKE 'a\\%b';
SELECT 'a_c' LIKE 'a\\_c', 'abc' LIKE 'a\\_c', 'line\nbreak' LIKE '%break', '' LIKE '%', '' LIKE '';
SELECT match('hello', 'h.*o'), match('hello', '^e'), match('hello', 'l+'), 'hello' REGEXP 'el', multiMatchAny('abc', ['x', 'b.']);
SELECT ngramDistance('hello', 'hello');
SELECT ngramSearch('hello world', 'hello');
SELECT position('', ''), position('a', ''), position('', 'a');
SELECT like('abc', 'a%'), notLike('abc', 'a%'), ilike('ABC', 'a%'), notILike('ABC', 'a%');
-- error: CANNOT_COMPILE_REGEXP
SELECT match('a', '(');
SELECT ngramDistance('hello', 'hallo'), ngramSearch('hello world', 'helloo'), ngramDistanceCaseInsensitive('HELLO', 'hello'), ngramDistanceUTF8('привет', 'превет'), ngramSearchUTF8('привет мир', 'мир'), ngramDistance('abc', 'abd'), ngramSearch('', ''), ngramDistance(materialize('aaaaa'), 'aaaa'), ngramDistance('abcdefgh', 'zzzzabcdzzz');
