SELECT count(), groupBitXor(cityHash64(keyword)) FROM system.keywords;
SELECT keyword FROM system.keywords WHERE keyword LIKE 'ADD %' OR keyword IN ('SELECT', 'BY', 'FETCHES', 'ILIKE') ORDER BY keyword;
SELECT count(), uniqExact(word) FROM system.completions WHERE context = 'keyword';
SELECT name, type FROM system.columns WHERE database = 'system' AND table = 'keywords';
