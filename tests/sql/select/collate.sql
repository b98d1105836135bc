-- ORDER BY … COLLATE: texts in the order of a language.
CREATE TABLE words (n UInt32, s String, o Nullable(String), l LowCardinality(String), a Array(String)) ENGINE = MergeTree ORDER BY s;
INSERT INTO words VALUES (1, 'z', 'z', 'z', ['z', 'a']), (2, 'ä', NULL, 'ä', ['z', 'Ä']), (3, 'Z', 'Z', 'Z', []), (4, 'a', 'a', 'a', ['z']), (5, 'ae', 'ä', 'ae', ['a']), (6, 'A', 'A', 'A', ['ä']), (7, '', '', '', ['']), (8, 'o', 'ö', 'o', ['Z']), (9, 'ö', NULL, 'ö', ['b', 'a']), (10, 'ı', 'ı', 'ı', ['A']), (11, 'i', 'i', 'i', ['A', 'b']), (12, 'j', 'j', 'j', ['a', 'B']);
SELECT s FROM words ORDER BY s COLLATE 'en';
SELECT s FROM words ORDER BY s DESC COLLATE 'en';
SELECT s FROM words ORDER BY s COLLATE 'de';
SELECT s FROM words ORDER BY s COLLATE 'sv';
SELECT s FROM words ORDER BY s COLLATE 'TR';
SELECT s FROM words ORDER BY s COLLATE 'EN_us', n;
SELECT s FROM words ORDER BY s ASC COLLATE 'da';
SELECT n, o FROM words ORDER BY o COLLATE 'de', n;
SELECT n, o FROM words ORDER BY o DESC COLLATE 'de', n;
SELECT n, o FROM words ORDER BY o ASC NULLS FIRST COLLATE 'de', n DESC;
SELECT n, o FROM words ORDER BY o DESC NULLS LAST COLLATE 'sv', n DESC;
SELECT l FROM words ORDER BY l COLLATE 'en' LIMIT 5;
SELECT l FROM words ORDER BY l DESC COLLATE 'sv' LIMIT 3, 3;
SELECT a FROM words ORDER BY a COLLATE 'de';
SELECT a FROM words ORDER BY a DESC COLLATE 'sv';
-- error: BAD_COLLATION
SELECT n, (s, n) AS t FROM words ORDER BY t COLLATE 'en';
SELECT n FROM words ORDER BY (lower(s), o) COLLATE 'en', n;
SELECT n FROM words ORDER BY (a, l, s) DESC COLLATE 'sv';
SELECT t FROM (SELECT arrayJoin([(2, 'b'), (1, 'b'), (1, 'A'), (1, 'a'), (2, 'B')]) AS t) ORDER BY t COLLATE 'en';
SELECT t FROM (SELECT arrayJoin([('b', nan), ('b', 1), ('A', 2), ('a', 3)]) AS t) ORDER BY t DESC COLLATE 'en';
-- error: BAD_COLLATION
SELECT n FROM words ORDER BY (n % 3, o, [s]) COLLATE 'tr';
SELECT s FROM words ORDER BY lower(s) || 'x' COLLATE 'en', n LIMIT 3;
SELECT s FROM words ORDER BY 1 DESC COLLATE 'en' LIMIT 4;
SELECT s AS k FROM words ORDER BY k COLLATE 'sv' LIMIT 3, 4;
SELECT DISTINCT s FROM words ORDER BY s COLLATE 'sv';
SELECT DISTINCT lower(s) AS k FROM words ORDER BY k COLLATE 'en';
SELECT lowerUTF8(s) AS k, count(), max(n) FROM words GROUP BY k ORDER BY k COLLATE 'de';
SELECT lowerUTF8(s) AS k, count() FROM words GROUP BY k WITH TOTALS ORDER BY k COLLATE 'de' LIMIT 3;
SELECT n % 3 AS k, max(s) AS m FROM words GROUP BY k ORDER BY m COLLATE 'sv';
SELECT n % 4 AS k, min(o) AS m FROM words GROUP BY k ORDER BY min(o) DESC COLLATE 'en', k;
SELECT n, s FROM words ORDER BY s COLLATE 'en' LIMIT 1 BY n % 3;
SELECT n % 3 AS k, s FROM words ORDER BY s COLLATE 'sv' LIMIT 2 BY k LIMIT 4;
SELECT x FROM (SELECT arrayJoin(['b', 'a', 'A', 'a', 'B']) AS x) ORDER BY x COLLATE 'en' LIMIT 1 WITH TIES;
SELECT n, s FROM words ORDER BY s COLLATE 'en' LIMIT 2 OFFSET 3;
SELECT s FROM words ORDER BY s COLLATE 'en' LIMIT -2;
SELECT s FROM (SELECT s FROM words ORDER BY s COLLATE 'sv' LIMIT 5) ORDER BY s;
SELECT groupArray(s) FROM (SELECT s FROM words ORDER BY s COLLATE 'sv');
SELECT n FROM words WHERE n IN (SELECT n FROM words ORDER BY s COLLATE 'en' LIMIT 2) ORDER BY n;
SELECT s FROM (SELECT 'b' AS s UNION ALL SELECT 'A' UNION ALL SELECT 'a') ORDER BY s COLLATE 'en';
SELECT * FROM ((SELECT 'b' AS s UNION ALL SELECT 'A') UNION ALL SELECT 'a' AS s ORDER BY s COLLATE 'en') ORDER BY s DESC COLLATE 'de';
SELECT s, row_number() OVER (ORDER BY s COLLATE 'en') AS place FROM words ORDER BY place;
SELECT n, rank() OVER (PARTITION BY n % 2 ORDER BY o DESC NULLS FIRST COLLATE 'sv') AS place FROM words ORDER BY n % 2, place, n;
SELECT s, groupArray(s) OVER w FROM words WINDOW w AS (ORDER BY s COLLATE 'da' ROWS BETWEEN 1 PRECEDING AND 1 FOLLOWING) ORDER BY s COLLATE 'da';
SELECT x, n FROM (SELECT ['а', 'я', 'ё', 'А', 'Я', 'Ё'] AS arr) ARRAY JOIN arr AS x, arrayEnumerate(arr) AS n ORDER BY x COLLATE 'ru', n;
SELECT arrayJoin(['ґ', 'ї', 'І', 'Б']) AS x ORDER BY x COLLATE 'uk';
SELECT arrayJoin(['F', 'z', 'J', 'Ñ']) AS x ORDER BY x COLLATE 'es';
SELECT arrayJoin(['ch', 'c', 'cz', 'd', 'h', 'i']) AS x ORDER BY x COLLATE 'cs';
SELECT arrayJoin(['あ', 'ア', 'い', '亜', 'a', '一']) AS x ORDER BY x COLLATE 'ja';
SELECT arrayJoin(['中', '一', '丁', '文', 'a']) AS x ORDER BY x COLLATE 'zh';
SELECT arrayJoin(['中', '一', '丁', '文', 'a']) AS x ORDER BY x COLLATE 'zh_Hant';
SELECT arrayJoin(['cote', 'côte', 'coté', 'côté']) AS x ORDER BY x COLLATE 'fr';
SELECT arrayJoin(['cote', 'côte', 'coté', 'côté']) AS x ORDER BY x COLLATE 'fr_CA';
SELECT arrayJoin(['co-op', 'coop', 'CO OP', 'co op', 'Coop']) AS x ORDER BY x COLLATE 'en';
SELECT arrayJoin(['co-op', 'coop', 'CO OP', 'co op', 'Coop']) AS x ORDER BY x COLLATE 'en_US_POSIX';
SELECT arrayJoin(['10', '9', '1', '😀', '$', 'ß', 'ss']) AS x ORDER BY x COLLATE 'de';
SELECT hex(x) FROM (SELECT arrayJoin(['a\xFF', 'a', 'b', '\xFF']) AS x) ORDER BY x COLLATE 'en';
SELECT arrayJoin(['az', 'ä', 'a10', 'a9', 'A']) AS x ORDER BY x COLLATE 'de-u-co-phonebk-kn';
SELECT arrayJoin(['az', 'ä', 'a10', 'a9', 'A']) AS x ORDER BY x COLLATE 'de@collation=phonebook;colNumeric=yes';
SELECT arrayJoin(['a', 'A', 'b', 'B']) AS x ORDER BY x COLLATE 'en-u-kf-upper';
SELECT arrayJoin(['co-op', 'coop', 'CO OP', 'co op', 'Coop']) AS x ORDER BY x COLLATE 'en-US-u-ka-shifted-ks-level4';
SELECT x, n FROM (SELECT ['b', 'a', 'A', 'á'] AS a) ARRAY JOIN a AS x, arrayEnumerate(a) AS n ORDER BY x COLLATE 'en-u-ks-level1', n DESC;
SELECT arrayJoin(['b', 'A', 'a']) AS x, rank() OVER (ORDER BY x DESC COLLATE 'EN') ORDER BY 2 FORMAT TSVWithNames;
SELECT arrayJoin(['b', 'A', 'a']) AS x ORDER BY x AS y COLLATE 'en', y;
SELECT 'ζ' AS x ORDER BY x COLLATE 'el';
SELECT number FROM numbers(2) ORDER BY 'x' COLLATE 'el';
SELECT number FROM numbers(11) ORDER BY 'x', toString(number), 'y' COLLATE 'el';
SELECT x, y FROM (SELECT arrayJoin(['b', 'A', 'a', 'B']) AS x, 1 AS y) ORDER BY x COLLATE 'en', y WITH FILL FROM 0 TO 2;
SELECT formatQuerySingleLine('SELECT 1 ORDER BY a || b DESC NULLS FIRST COLLATE \'tr\', c');
SELECT replaceAll(arrayStringConcat(groupArray(explain), ' '), '\n', ' ') FROM (EXPLAIN SYNTAX SELECT s FROM words ORDER BY s DESC NULLS FIRST COLLATE 'en', n);
EXPLAIN AST SELECT s FROM words ORDER BY s COLLATE 'en', n;
SELECT name FROM system.collations WHERE name IN ('en', 'de', 'tr', 'zh', 'root', 'fr_CA', 'zh_TW', 'de_DE') ORDER BY name;
CREATE VIEW sorted_words AS SELECT s FROM words ORDER BY s DESC COLLATE 'en' LIMIT 3;
SELECT * FROM sorted_words;
-- error: UNSUPPORTED_COLLATION_LOCALE
SELECT '' AS x ORDER BY x COLLATE 'qq';
-- error: UNSUPPORTED_COLLATION_LOCALE
SELECT '' AS x ORDER BY x COLLATE 'some_non_existing_locale';
-- error: UNSUPPORTED_COLLATION_LOCALE
SELECT '' AS x ORDER BY x COLLATE 'ру';
-- error: UNSUPPORTED_COLLATION_LOCALE
SELECT '' AS x ORDER BY x COLLATE '';
-- error: UNSUPPORTED_COLLATION_LOCALE
SELECT s FROM words ORDER BY s COLLATE 'root';
-- error: UNSUPPORTED_COLLATION_LOCALE
SELECT s FROM words ORDER BY s COLLATE 'de_DE';
-- error: BAD_COLLATION
SELECT n FROM words ORDER BY n COLLATE 'en';
-- error: BAD_COLLATION
SELECT n, rank() OVER (ORDER BY n COLLATE 'en') FROM words;
-- error: BAD_COLLATION
SELECT n FROM words ORDER BY 1 + 1 COLLATE 'en';
-- error: BAD_COLLATION
SELECT NULL AS x ORDER BY x COLLATE 'en';
-- error: INVALID_WITH_FILL_EXPRESSION
SELECT s FROM words ORDER BY s COLLATE 'en' WITH FILL;
-- error: BAD_COLLATION
SELECT n FROM words ORDER BY toFixedString(s, 4) COLLATE 'en';
-- error: BAD_COLLATION
SELECT n FROM words ORDER BY [n] COLLATE 'en';
-- error: BAD_COLLATION
SELECT n FROM words ORDER BY map('a', s) COLLATE 'en';
-- error: SYNTAX_ERROR
SELECT s FROM words ORDER BY s COLLATE 'en' DESC;
-- error: SYNTAX_ERROR
SELECT s FROM words ORDER BY s DESC COLLATE 'en' COLLATE 'de';
-- error: SYNTAX_ERROR
SELECT s FROM words ORDER BY ALL COLLATE 'en';
-- error: SYNTAX_ERROR
SELECT s COLLATE 'en' FROM words;
-- error: SYNTAX_ERROR
SELECT s FROM words ORDER BY s COLLATE en;
