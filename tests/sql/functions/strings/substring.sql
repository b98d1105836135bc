SELECT substring('hello', 2, 3), substring('hello', 2), substring('hello', -3), substring('hello', -3, 2), substring('hello', 10);
SELECT substr('hello', 1, 2), mid('hello', 2, 2), substring('hello' FROM 2 FOR 3), substringUTF8('日本語', 2, 1);
SELECT left('hello', 2), right('hello', 2), left('hello', -2), right('hello', -2), leftUTF8('日本語', 2), rightUTF8('日本語', 1);
SELECT substringIndex('a.b.c', '.', 2), substringIndex('a.b.c', '.', -1), substringIndexUTF8('a→b→c', '→', 1);
SELECT substring('hello', 0), substring('hello', 1, 0), substring('', 1, 1), substring('hello', 2, 100);
SELECT substring(materialize('hello'), number + 1, 2) FROM numbers(4);
SELECT toTypeName(substring('a', 1)), substring(NULL, 1), substring('abc', toNullable(2));
SELECT startsWith('hello', 'he'), endsWith('hello', 'lo'), startsWith('hello', 'x'), startsWith('', ''), startsWithUTF8('日本', '日');
-- error: ILLEGAL_TYPE_OF_ARGUMENT
SELECT substring(1, 1);
