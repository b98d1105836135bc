-- ARRAY JOIN of an ALIAS column unrolls it, and not the column that it stands for.
CREATE TABLE visits (id UInt8, pages Array(String), urls Array(String) ALIAS pages, links Array(String) ALIAS urls) ENGINE = MergeTree ORDER BY id;
INSERT INTO visits (id, pages) VALUES (1, ['a', 'b']);
SELECT pages, urls, links FROM visits ARRAY JOIN urls ORDER BY urls;
SELECT pages, urls, links FROM visits ARRAY JOIN links ORDER BY links;
SELECT pages, urls FROM visits ARRAY JOIN pages, urls ORDER BY urls;
SELECT pages, urls, one FROM visits ARRAY JOIN urls AS one ORDER BY one;
