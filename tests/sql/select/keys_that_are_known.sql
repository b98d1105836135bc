-- A condition that is known makes of its value, if that is a constant, a constant key: each set of ROLLUP shows it.
CREATE TABLE rows (id UInt32, b Bool, s String) ENGINE = Memory;
INSERT INTO rows VALUES (1, true, 'a'), (2, false, 'b');
SELECT if(false, id, 3) AS g, count() FROM rows GROUP BY g WITH ROLLUP ORDER BY ALL;
SELECT if(true, 3, id) AS g, count() FROM rows GROUP BY g WITH CUBE ORDER BY ALL;
SELECT if(true, id, 3) AS g, count() FROM rows GROUP BY g WITH ROLLUP ORDER BY ALL;
SELECT multiIf(false, id, 3) AS g, count() FROM rows GROUP BY g WITH ROLLUP ORDER BY ALL;
SELECT multiIf(false, id, true, 3, id) AS g, count() FROM rows GROUP BY g WITH ROLLUP ORDER BY ALL;
SELECT multiIf(id > 1, 1, true, 3, id) AS g, count() FROM rows GROUP BY g WITH ROLLUP ORDER BY ALL;
SELECT CASE WHEN false THEN id ELSE 3 END AS g, count() FROM rows GROUP BY g WITH ROLLUP ORDER BY ALL;
SELECT CASE 1 WHEN 1 THEN 3 ELSE id END AS g, count() FROM rows GROUP BY g WITH ROLLUP ORDER BY ALL;
SELECT id OR 1 AS g, count() FROM rows GROUP BY g WITH ROLLUP ORDER BY ALL;
SELECT b AND false AS g, count() FROM rows GROUP BY g WITH ROLLUP ORDER BY ALL;
SELECT not(id AND 0) AS g, count() FROM rows GROUP BY g WITH ROLLUP ORDER BY ALL;
SELECT if(id AND 0, id, 3) AS g, count() FROM rows GROUP BY g WITH ROLLUP ORDER BY ALL;
SELECT if(id IS NULL, id, 3) AS g, count() FROM rows GROUP BY g WITH ROLLUP ORDER BY ALL;
SELECT if(NULL, id, 3) AS g, count() FROM rows GROUP BY g WITH ROLLUP ORDER BY ALL;
SELECT if(false, id, 3) AS g, id, count() FROM rows GROUP BY GROUPING SETS ((g, id), (id), ()) ORDER BY ALL;
SELECT if(false, s, 'x') AS g, count() FROM rows WHERE id > 5 GROUP BY g;
-- The value has its own zone.
SELECT if(0, toTimeZone(t, 'Asia/Kathmandu'), t) AS a, if(1, t, toTimeZone(t, 'Asia/Kathmandu')) AS c, if(toBool(0), t, toTimeZone(t, 'Asia/Kathmandu')) AS d FROM (SELECT toDateTime64('2024-01-01 00:00:00', 3, 'UTC') + number AS t FROM numbers(1)) FORMAT TSVWithNamesAndTypes;
SELECT if(number < 5, toTimeZone(t, 'Asia/Kathmandu'), t) AS a FROM (SELECT number, toDateTime64('2024-01-01 00:00:00', 3, 'UTC') + number AS t FROM numbers(1)) FORMAT TSVWithNamesAndTypes;
