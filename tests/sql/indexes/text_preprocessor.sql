-- Indexes of type text with a preprocessor: conditions in WHERE are asked of what it makes of texts.
CREATE TABLE p (k UInt32, s String, INDEX i s TYPE text(tokenizer = splitByNonAlpha, preprocessor = lower(s)) GRANULARITY 1) ENGINE = MergeTree ORDER BY k SETTINGS index_granularity = 10;
INSERT INTO p SELECT number, concat('Word', toString(number), ' FOO Bar') FROM numbers(100);
SELECT k FROM p WHERE hasToken(s, 'word7');
SELECT k FROM p WHERE hasToken(s, 'WORD7');
SELECT k FROM p WHERE hasAllTokens(s, 'WORD7 foo');
SELECT count() FROM p WHERE hasAllTokens(s, ['WORD7', 'foo']);
SELECT k FROM p WHERE hasAnyTokens(s, 'WORD7 word8') ORDER BY k;
SELECT k FROM p WHERE hasAnyTokens(s, ['WORD7', 'word8']);
SELECT k FROM p WHERE hasPhrase(s, 'WORD7 foo');
SELECT k FROM p WHERE hasAllTokens(s, concat('WO', 'RD7'));
SELECT k FROM p PREWHERE hasAllTokens(s, 'WORD7');
SELECT count() FROM p WHERE NOT hasAllTokens(s, 'WORD7');
SELECT count() FROM p WHERE hasAllTokens(s, 'WORD7') AND k > 3;
SELECT k FROM p WHERE hasAllTokens(s, 'WORD7') OR k = 9 ORDER BY k;
SELECT k FROM p WHERE hasAllTokens(s, 'WORD7', 'splitByNonAlpha');
SELECT k FROM p WHERE hasAllTokens(s, 'WORD7', 'array');
SELECT k FROM p AS t WHERE hasAllTokens(t.s, 'WORD7');
SELECT a.k FROM p AS a JOIN p AS b ON a.k = b.k WHERE hasAllTokens(a.s, 'WORD7');
SELECT count() FROM p WHERE hasAllTokens(s, 'WORD7') SETTINGS use_skip_indexes = 0;
SELECT count() FROM p WHERE hasAllTokens(s, 'WORD7') SETTINGS ignore_data_skipping_indices = 'i';
SELECT hasAllTokens(s, 'WORD7'), hasToken(s, 'word7') FROM p WHERE k = 7;
SELECT countIf(hasAllTokens(s, 'WORD7')) FROM p;
SELECT count() FROM p WHERE hasToken(lower(s), 'word7');
SELECT count() FROM p WHERE hasTokenCaseInsensitive(s, 'WORD7');
SELECT count() FROM p WHERE s = 'Word7 FOO Bar';
SELECT count() FROM p WHERE s = 'word7 foo bar';
SELECT count() FROM p WHERE s LIKE '%Word7 %';
SELECT count() FROM p WHERE s LIKE '%word7 %';
SELECT count() FROM p WHERE s IN ('Word7 FOO Bar', 'x');
SELECT marks FROM (EXPLAIN ESTIMATE SELECT k FROM p WHERE hasToken(s, 'WORD7'));
SELECT marks FROM (EXPLAIN ESTIMATE SELECT k FROM p WHERE hasAllTokens(s, 'WORD7'));
SELECT name, type, type_full, expr, granularity FROM system.data_skipping_indices WHERE database = currentDatabase() AND table = 'p';
ALTER TABLE p DELETE WHERE hasAllTokens(s, 'WORD7') SETTINGS mutations_sync = 2;
SELECT count() FROM p;
ALTER TABLE p UPDATE s = 'NEW one' WHERE k = 3 SETTINGS mutations_sync = 2;
SELECT k FROM p WHERE hasToken(s, 'new');
OPTIMIZE TABLE p FINAL;
SELECT k FROM p WHERE hasToken(s, 'new');
ALTER TABLE p RENAME COLUMN s TO z;
SELECT create_table_query FROM system.tables WHERE database = currentDatabase() AND name = 'p';
SELECT k FROM p WHERE hasToken(z, 'new');
CREATE TABLE u (k UInt32, s String) ENGINE = MergeTree ORDER BY k SETTINGS index_granularity = 10;
INSERT INTO u SELECT number, concat('Word', toString(number), ' FOO Bar') FROM numbers(100);
ALTER TABLE u ADD INDEX i s TYPE text(tokenizer = splitByNonAlpha, preprocessor = lower(s));
SELECT count() FROM u WHERE hasAllTokens(s, 'WORD7');
INSERT INTO u SELECT number, concat('Word', toString(number), ' FOO Bar') FROM numbers(100);
SELECT count() FROM u WHERE hasAllTokens(s, 'WORD7');
CREATE TABLE ng (k UInt32, s String, INDEX i s TYPE text(tokenizer = ngrams(3), preprocessor = lower(s))) ENGINE = MergeTree ORDER BY k SETTINGS index_granularity = 10;
INSERT INTO ng SELECT number, concat('Word', toString(number), ' FOO Bar') FROM numbers(100);
SELECT count() FROM ng WHERE hasToken(s, 'word7');
SELECT count() FROM ng WHERE hasAllTokens(s, 'ORD7');
SELECT count() FROM ng WHERE hasAnyTokens(s, 'RD7 F');
CREATE TABLE other (k UInt8, s String, INDEX i lower(s) TYPE text(tokenizer = array, preprocessor = reverse(lower(s)))) ENGINE = MergeTree ORDER BY k;
INSERT INTO other VALUES (1, 'Ab'), (3, 'x');
SELECT k FROM other WHERE hasAllTokens(lower(s), 'ab');
SELECT k FROM other WHERE hasAllTokens(lower(s), ['ba']);
SELECT k FROM other WHERE lower(s) = 'ab';
CREATE TABLE ar (k UInt32, s Array(String), INDEX i s TYPE text(tokenizer = splitByNonAlpha, preprocessor = lower(s))) ENGINE = MergeTree ORDER BY k;
INSERT INTO ar VALUES (1, ['Ab Cd']), (2, []);
SELECT k FROM ar WHERE hasAllTokens(s, 'CD');
SELECT k FROM ar WHERE hasAllTokens(s, ['ab']);
SELECT k FROM ar WHERE hasAllTokens(s, ['Ab']);
SELECT k FROM ar WHERE has(s, 'Ab Cd');
CREATE TABLE mk (k UInt32, m Map(String, String), INDEX i mapKeys(m) TYPE text(tokenizer = array, preprocessor = lower(mapKeys(m)))) ENGINE = MergeTree ORDER BY k;
INSERT INTO mk VALUES (1, {'Ab': 'Xy'}), (2, {'cd': 'z'});
SELECT k FROM mk WHERE mapContains(m, 'Ab');
SELECT k FROM mk WHERE mapContains(m, 'AB');
SELECT k FROM mk WHERE hasAllTokens(mapKeys(m), 'AB');
SELECT k FROM mk WHERE hasAllTokens(mapKeys(m), ['ab']);
CREATE TABLE lk (k UInt32, s String, INDEX i s TYPE text(tokenizer = splitByNonAlpha, preprocessor = lowerUTF8(replaceAll(s, 'x', ' ')))) ENGINE = MergeTree ORDER BY k;
INSERT INTO lk VALUES (1, 'ÄbxCd'), (2, 'q');
SELECT k FROM lk WHERE hasToken(s, 'äb');
SELECT k FROM lk WHERE hasAllTokens(s, 'cdxÄB');
-- error: INCORRECT_QUERY
CREATE TABLE e (s String, k UInt8, INDEX i s TYPE text(tokenizer = array, preprocessor = 1)) ENGINE = MergeTree ORDER BY k;
-- error: INCORRECT_QUERY
CREATE TABLE e (s String, k UInt8, INDEX i s TYPE text(tokenizer = array, preprocessor = 'lower(s)')) ENGINE = MergeTree ORDER BY k;
-- error: INCORRECT_QUERY
CREATE TABLE e (s String, k UInt8, INDEX i s TYPE text(tokenizer = array, preprocessor = length(s))) ENGINE = MergeTree ORDER BY k;
-- error: INCORRECT_QUERY
CREATE TABLE e (s String, k UInt8, INDEX i s TYPE text(tokenizer = array, preprocessor = s)) ENGINE = MergeTree ORDER BY k;
-- error: INCORRECT_QUERY
CREATE TABLE e (s String, k UInt8, INDEX i lower(s) TYPE text(tokenizer = array, preprocessor = lower(s))) ENGINE = MergeTree ORDER BY k;
-- error: INCORRECT_QUERY
CREATE TABLE e (s String, k UInt8, INDEX i s TYPE text(tokenizer = array, preprocessor = concat(s, toString(rand())))) ENGINE = MergeTree ORDER BY k;
-- error: INCORRECT_QUERY
CREATE TABLE e (s String, k UInt8, INDEX i s TYPE text(tokenizer = array, preprocessor = arrayJoin([s]))) ENGINE = MergeTree ORDER BY k;
-- error: UNKNOWN_IDENTIFIER
CREATE TABLE e (s String, t String, k UInt8, INDEX i s TYPE text(tokenizer = array, preprocessor = concat(s, t))) ENGINE = MergeTree ORDER BY k;
-- error: UNKNOWN_FUNCTION
CREATE TABLE e (s String, k UInt8, INDEX i s TYPE text(tokenizer = array, preprocessor = no_such(s))) ENGINE = MergeTree ORDER BY k;
