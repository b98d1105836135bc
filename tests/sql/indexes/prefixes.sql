-- Filters of text know what a value begins with, however that is asked: they are forced, and so refuse to be passed over.
CREATE TABLE s (k UInt64, s String, INDEX i s TYPE tokenbf_v1(2048, 3, 0), INDEX n s TYPE ngrambf_v1(4, 2048, 3, 0)) ENGINE = MergeTree ORDER BY k SETTINGS index_granularity = 100;
INSERT INTO s SELECT cityHash64(number), concat('Word', toString(number), ' tail') FROM numbers(5000);
SELECT count() FROM s WHERE startsWith(s, 'Word77 ') SETTINGS force_data_skipping_indices = 'i';
SELECT count() FROM s WHERE startsWith(s, 'Word77 ') SETTINGS force_data_skipping_indices = 'n';
SELECT count() FROM s WHERE s LIKE 'Word77 %' SETTINGS force_data_skipping_indices = 'i';
SELECT count() FROM s WHERE s LIKE 'Word77 %' SETTINGS force_data_skipping_indices = 'n';
SELECT count() FROM s WHERE s LIKE 'Word77 t%l' SETTINGS force_data_skipping_indices = 'i';
SELECT count() FROM s WHERE match(s, '^Word77 ') SETTINGS force_data_skipping_indices = 'i';
SELECT count() FROM s WHERE match(s, '^Word77 ') SETTINGS force_data_skipping_indices = 'n';
SELECT count() FROM s WHERE startsWith(s, 'Word') SETTINGS force_data_skipping_indices = 'n';
SELECT count() FROM s WHERE startsWith(s, 'Word77 ') AND NOT startsWith(s, 'Word778 ');
SELECT count() FROM s WHERE startsWith(s, 'Word77 ') OR s LIKE 'Word4999 %';
SELECT count() FROM s WHERE match(s, '^(Word77|Word78) tail$');
SELECT count() FROM s WHERE match(s, '^Word77');
-- Searches in arrays, maps and tuples.
CREATE TABLE c (k UInt32, a Array(UInt32), m Map(String, UInt32), f Float64, INDEX ia a TYPE bloom_filter(0.001), INDEX im mapKeys(m) TYPE bloom_filter(0.001), INDEX it (k, f) TYPE bloom_filter(0.001)) ENGINE = MergeTree ORDER BY tuple() SETTINGS index_granularity = 100;
INSERT INTO c SELECT number, [number, number + 1], map(toString(number), number), number / 3 FROM numbers(5000);
SELECT count() FROM c WHERE has(m, '77') SETTINGS force_data_skipping_indices = 'im';
SELECT count() FROM c WHERE indexOf(a, 77) > 0 SETTINGS force_data_skipping_indices = 'ia';
SELECT count() FROM c WHERE indexOf(a, 77) >= 1 SETTINGS force_data_skipping_indices = 'ia';
SELECT count() FROM c WHERE indexOf(a, 77) > 1;
SELECT count() FROM c WHERE indexOf(a, 77) = 0;
SELECT count() FROM c WHERE indexOf(a, 77) < 2;
SELECT count() FROM c WHERE (k, f) = (77, 77 / 3) SETTINGS force_data_skipping_indices = 'it';
SELECT count() FROM c WHERE (k, f) != (77, 77 / 3);
SELECT (k, 1) = (77, 1) AS x, count() FROM c GROUP BY x ORDER BY x;
SELECT (k % 2, k % 3) AS x, count() FROM c GROUP BY x HAVING x = (1, 2);
