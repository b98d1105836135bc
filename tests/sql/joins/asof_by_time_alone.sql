-- USING of one column: the nearest row of all.
SELECT * FROM (SELECT arrayJoin([2, 5]) AS t) AS l ASOF JOIN (SELECT 3 AS t, 7 AS v) AS r USING (t) SETTINGS join_algorithm = 'full_sorting_merge';
SELECT * FROM (SELECT arrayJoin([2, 5]) AS t) AS l ASOF LEFT JOIN (SELECT 3 AS t, 7 AS v) AS r USING (t) ORDER BY t SETTINGS join_algorithm = 'full_sorting_merge';
