SELECT splitByChar(',', CAST(NULL, 'Nullable(String)')), splitByChar(',', materialize(CAST(NULL, 'Nullable(String)'))), splitByChar(',', NULL);
SELECT splitByString(',', CAST(NULL, 'Nullable(String)')), splitByString('', CAST(NULL, 'Nullable(String)')), splitByRegexp('\\d', CAST(NULL, 'Nullable(String)'));
SELECT length(splitByChar(',', CAST(NULL, 'Nullable(String)'))) FROM numbers(2);
SELECT splitByWhitespace(CAST(NULL, 'Nullable(String)')), alphaTokens(CAST(NULL, 'Nullable(String)')), ngrams(CAST(NULL, 'Nullable(String)'), 2), extractAll(CAST(NULL, 'Nullable(String)'), 'a');
SELECT splitByChar(',', 'a,b', CAST(NULL, 'Nullable(Int64)'));
