SELECT naiveBayesNgrams('the cat sat', 2, 'token') AS x, toTypeName(x), naiveBayesNgrams('cat', 2, 'token', '<s>', '</s>'), naiveBayesNgrams('', 2, 'token', '<s>', '</s>'), naiveBayesNgrams('', 2, 'token'), naiveBayesNgrams('cat', 2, 'token'), naiveBayesNgrams('  a,b\tc\nd ', 1, 'token'), arrayMap(x -> hex(x), naiveBayesNgrams('xy', 2, 'byte', '0x01', '0xFF')), arrayMap(x -> hex(x), naiveBayesNgrams('ab', 2, 'codepoint', '0x10FFFE', '0x10FFFF')), naiveBayesNgrams('äöü', 2, 'codepoint'), naiveBayesNgrams('abc', 3, 'token', 'x', 'y'), naiveBayesNgrams('A b', 1, 'token'), naiveBayesNgrams('abc', 2, 'byte', '65', ''), naiveBayesNgrams('abc', 2, 'byte', '', '66'), naiveBayesNgrams('abc', 1, 'byte', '65', '66');
-- error: BAD_ARGUMENTS
SELECT naiveBayesNgrams('abc', 0, 'byte');
-- error: BAD_ARGUMENTS
SELECT naiveBayesNgrams('abc', 1025, 'byte');
-- error: BAD_ARGUMENTS
SELECT naiveBayesNgrams('abc', 2, 'foo');
-- error: BAD_ARGUMENTS
SELECT naiveBayesNgrams('abc', 2, 'byte', '256');
-- error: BAD_ARGUMENTS
SELECT naiveBayesNgrams('abc', 2, 'byte', '256', '1');
-- error: BAD_ARGUMENTS
SELECT naiveBayesNgrams('abc', 2, 'byte', 'a', '1');
-- error: BAD_ARGUMENTS
SELECT naiveBayesNgrams('abc', 2, 'codepoint', '0xD800', '1');
-- error: ILLEGAL_TYPE_OF_ARGUMENT
SELECT naiveBayesNgrams(5, 2, 'byte');
-- error: ILLEGAL_TYPE_OF_ARGUMENT
SELECT naiveBayesNgrams('abc', -1, 'byte');
-- error: ILLEGAL_COLUMN
SELECT naiveBayesNgrams('abc', materialize(1), 'byte');
SELECT arrayMap(x -> hex(x), naiveBayesNgrams(unhex('61FF62C3'), 2, 'codepoint'));
-- error: ILLEGAL_TYPE_OF_ARGUMENT
SELECT naiveBayesNgrams(toFixedString('a b', 5), 1, 'token');
SELECT naiveBayesNgrams(toNullable('a b'), 1, 'token') x, toTypeName(x);
SELECT naiveBayesNgrams('a\0b\rc\vd\fe', 1, 'token');
