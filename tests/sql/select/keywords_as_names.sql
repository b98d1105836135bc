CREATE TABLE k (interval UInt8, exists UInt8, trim UInt8, `join` UInt8, `select` UInt8, `with` UInt8, `all` UInt8, `distinct` UInt8, `case` UInt8, view UInt8, is UInt8, `union` UInt8, date Date) ENGINE = Memory;
INSERT INTO k SELECT 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, toDate('2024-01-01');
SELECT interval, interval + 1, 1 + interval, interval * 2, interval - 1, interval::UInt16, interval IN (1, 2), k.interval FROM k;
SELECT sum(interval), max(interval) - min(interval) FROM k WHERE interval = 1 AND interval > 0 GROUP BY interval;
SELECT interval AS x FROM k ORDER BY interval;
SELECT 1 FROM k AS d WHERE interval IN (1) ORDER BY interval LIMIT 1;
SELECT exists, exists + 1, trim, trim + 1, sum(trim) FROM k GROUP BY exists, trim;
SELECT exists(SELECT 1), trim(' a ');
SELECT join, 1 FROM k;
SELECT join FROM k;
SELECT 1, join FROM k;
SELECT sum(join) FROM k;
SELECT select FROM k;
SELECT 1, select FROM k;
SELECT 1, with FROM k;
SELECT with FROM k;
SELECT sum(all), sum(distinct) FROM k;
SELECT toString(all), toString(distinct) FROM k;
SELECT 1 FROM k WHERE all = 7;
SELECT case FROM k;
SELECT view, is, k.all FROM k;
SELECT exists, union FROM k;
SELECT date, date + 1, toYear(date) FROM k;
-- error: SYNTAX_ERROR
SELECT all FROM k;
-- Aliases without AS.
SELECT 1 view, 2 end, 3 values, 4 is, 5 fetch, 6 top FORMAT TSVWithNames;
SELECT 1 analyze, 2 cluster, 3 distribute, 4 lateral, 5 sort, 6 minus, 7 explain, 8 return FORMAT TSVWithNames;
SELECT interval end FROM k FORMAT TSVWithNames;
SELECT CASE WHEN 1 THEN interval END end FROM k FORMAT TSVWithNames;
SELECT number FROM numbers(5) ORDER BY number OFFSET 1 ROW FETCH FIRST 2 ROWS ONLY;
-- error: SYNTAX_ERROR
SELECT 1 qualify;
DROP TABLE k;
