-- Indexes of type text: the tokens that granules have, exactly.
CREATE TABLE t (k UInt64, s String, a Array(String), m Map(String, String), l LowCardinality(String), n Nullable(String), f FixedString(8), INDEX i s TYPE text(tokenizer = splitByNonAlpha), INDEX ia a TYPE text(tokenizer = 'array'), INDEX im mapKeys(m) TYPE text(tokenizer = array), INDEX il l TYPE text(tokenizer = ngrams(3)), INDEX il2 lower(s) TYPE text(tokenizer = splitByNonAlpha, dictionary_block_size = 64) GRANULARITY 3, INDEX iu n TYPE text(tokenizer = array), INDEX iff f TYPE text(tokenizer = splitByNonAlpha)) ENGINE = MergeTree ORDER BY k SETTINGS index_granularity = 100;
INSERT INTO t SELECT number, concat('Row ', toString(number * 7919 % 2000), ' was éa once'), [toString(number), concat('el ', toString(number * 7919 % 2000))], map(concat('key', toString(number * 7919 % 2000)), 'v'), concat('low', toString(number * 7919 % 2000)), if(number % 3 = 0, NULL, concat('n ', toString(number))), concat('f ', toString(number % 700)) FROM numbers(2000);
SELECT marks FROM (EXPLAIN ESTIMATE SELECT * FROM t WHERE hasToken(s, '77'));
SELECT k FROM t WHERE hasToken(s, '77');
SELECT k FROM t WHERE hasAllTokens(s, 'Row 77');
SELECT marks FROM (EXPLAIN ESTIMATE SELECT * FROM t WHERE hasAllTokens(s, 'Row 77'));
SELECT k FROM t WHERE hasAnyTokens(s, ['77', '78', 'Row 77']) ORDER BY k;
SELECT k FROM t WHERE hasAnyTokens(s, '77 78') ORDER BY k;
SELECT count() FROM t WHERE hasAllTokens(s, '77 78');
SELECT count() FROM t WHERE hasAnyTokens(s, 'none');
SELECT count() FROM t WHERE NOT hasToken(s, '77');
SELECT k FROM t WHERE s = 'Row 77 was éa once';
SELECT k FROM t WHERE s IN ('Row 77 was éa once', 'Row 78 was éa once', 'x') ORDER BY k;
SELECT k FROM t WHERE s LIKE '%Row 77 %';
SELECT count() FROM t WHERE s LIKE '%77%';
SELECT k FROM t WHERE startsWith(s, 'Row 77 ') OR endsWith(s, ' 78 was éa once') ORDER BY k;
SELECT k FROM t WHERE lower(s) LIKE '%row 77 was%';
SELECT k FROM t WHERE hasToken(lower(s), '77');
SELECT k FROM t WHERE hasTokenCaseInsensitive(s, '77');
SELECT k FROM t WHERE match(s, '^Row 77 ');
SELECT k FROM t WHERE has(a, 'el 77');
SELECT k FROM t WHERE hasAny(a, ['el 77', '5']) ORDER BY k;
SELECT k FROM t WHERE hasAll(a, ['el 77', '5']);
SELECT k FROM t WHERE m['key77'] = 'v';
SELECT k FROM t WHERE mapContains(m, 'key77');
SELECT k FROM t WHERE l LIKE '%low77' ORDER BY k;
SELECT k FROM t WHERE l = 'low77';
SELECT k FROM t WHERE n = 'n 77';
SELECT count() FROM t WHERE n IS NULL;
SELECT count() FROM t WHERE f = 'f 77';
ALTER TABLE t UPDATE s = 'changed words' WHERE k = 5 SETTINGS mutations_sync = 2;
SELECT k, s FROM t WHERE hasToken(s, 'changed');
OPTIMIZE TABLE t FINAL;
SELECT k FROM t WHERE hasToken(s, 'words');
SELECT name, type, type_full, expr, granularity FROM system.data_skipping_indices WHERE database = currentDatabase() AND table = 't' ORDER BY name;
SELECT create_table_query FROM system.tables WHERE database = currentDatabase() AND name = 't';
CREATE TABLE u (k UInt64, s String) ENGINE = MergeTree ORDER BY k SETTINGS index_granularity = 10;
INSERT INTO u SELECT number, concat('w', toString(number)) FROM numbers(100);
ALTER TABLE u ADD INDEX i s TYPE text(tokenizer = splitByNonAlpha);
SELECT k FROM u WHERE hasToken(s, 'w7');
ALTER TABLE u MATERIALIZE INDEX i SETTINGS mutations_sync = 2;
SELECT marks FROM (EXPLAIN ESTIMATE SELECT * FROM u WHERE hasToken(s, 'w7'));
SELECT k FROM u WHERE hasToken(s, 'w7');
ALTER TABLE u DROP INDEX i;
SELECT k FROM u WHERE hasToken(s, 'w7');
-- error: BAD_ARGUMENTS
CREATE TABLE e (s String, k UInt8, INDEX i s TYPE text()) ENGINE = MergeTree ORDER BY k;
-- error: BAD_ARGUMENTS
CREATE TABLE e (s String, k UInt8, INDEX i s TYPE text) ENGINE = MergeTree ORDER BY k;
-- error: BAD_ARGUMENTS
CREATE TABLE e (s String, k UInt8, INDEX i s TYPE text(tokenizer = 'foo')) ENGINE = MergeTree ORDER BY k;
-- error: BAD_ARGUMENTS
CREATE TABLE e (s String, k UInt8, INDEX i s TYPE text(tokenizer = 'ngrams(4)')) ENGINE = MergeTree ORDER BY k;
-- error: BAD_ARGUMENTS
CREATE TABLE e (s String, k UInt8, INDEX i s TYPE text(tokenizer = ngrams(0))) ENGINE = MergeTree ORDER BY k;
-- error: BAD_ARGUMENTS
CREATE TABLE e (s String, k UInt8, INDEX i s TYPE text(tokenizer = array, foo = 1)) ENGINE = MergeTree ORDER BY k;
-- error: BAD_ARGUMENTS
CREATE TABLE e (s String, k UInt8, INDEX i s TYPE text('array')) ENGINE = MergeTree ORDER BY k;
-- error: BAD_ARGUMENTS
CREATE TABLE e (s String, k UInt8, INDEX i k TYPE text(tokenizer = array)) ENGINE = MergeTree ORDER BY k;
-- error: BAD_ARGUMENTS
CREATE TABLE e (s String, k UInt8, INDEX i s TYPE text(tokenizer = array), INDEX j s TYPE text(tokenizer = ngrams)) ENGINE = MergeTree ORDER BY k;
-- error: INCORRECT_NUMBER_OF_COLUMNS
CREATE TABLE e (s String, k UInt8, INDEX i (s, k) TYPE text(tokenizer = array)) ENGINE = MergeTree ORDER BY k;
