SET max_hyperscan_regexp_length = 3;
SELECT multiMatchAny('abcd', ['abc', 'bcd', 'x']);
-- error: BAD_ARGUMENTS
SELECT multiMatchAny('abcd', ['abcd']);
-- error: BAD_ARGUMENTS
SELECT multiMatchAnyIndex('abcd', ['x', 'abcd']);
-- error: BAD_ARGUMENTS
SELECT multiMatchAllIndices(materialize('abcd'), ['x', 'abcd']);
-- error: BAD_ARGUMENTS
SELECT multiFuzzyMatchAny('abcd', 1, ['abcd']);
-- error: BAD_ARGUMENTS
SELECT multiMatchAny(materialize('abcd'), materialize(['abcd']));
SELECT multiSearchAny('abcd', ['abcd']);
SET max_hyperscan_regexp_length = 0, max_hyperscan_regexp_total_length = 5;
SELECT multiMatchAny('abcd', ['abc', 'bc']);
-- error: BAD_ARGUMENTS
SELECT multiMatchAny('abcd', ['abc', 'bcd']);
-- error: BAD_ARGUMENTS
SELECT multiMatchAny(s, ['abc', 'bcd']) FROM (SELECT '' AS s WHERE 0);
SET max_hyperscan_regexp_total_length = 0, allow_hyperscan = 0;
-- error: FUNCTION_NOT_ALLOWED
SELECT multiMatchAny('abcd', ['abc']);
-- error: FUNCTION_NOT_ALLOWED
SELECT multiFuzzyMatchAnyIndex('abcd', 1, ['abc']);
SELECT multiSearchAny('abcd', ['abcd']);
