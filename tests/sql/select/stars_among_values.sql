SELECT [*], tuple(*), array(*) FROM (SELECT 1 AS a, 2 AS b);
SELECT [t.*] FROM (SELECT 1 AS a, 2 AS b) AS t;
SELECT (*, 1), (0, *), [COLUMNS('a|b')], 2 * 3 FROM (SELECT 1 AS a, 2 AS b);
SELECT count(*), arraySum([*]) FROM (SELECT 1 AS a, 2 AS b) GROUP BY ALL;
SELECT sum(x) AS x, max(x) FROM (SELECT arrayJoin([5, 6]) AS x) SETTINGS prefer_column_name_to_alias = 1;
SELECT x + 1 AS x, sum(x) OVER (ORDER BY x) FROM (SELECT arrayJoin([5, 6]) AS x) ORDER BY x SETTINGS prefer_column_name_to_alias = 1;
