-- The bounds and the step of WITH FILL by the names that WITH and the SELECT list give.
WITH 0 AS l, 6 AS r SELECT number * 2 AS n FROM numbers(2) ORDER BY n WITH FILL FROM l TO l + r;
WITH 2 AS step SELECT 7 AS last, number AS n FROM numbers(2) ORDER BY n WITH FILL TO last STEP step;
WITH INTERVAL 1 MONTH AS step SELECT toDate('2024-01-31') AS day ORDER BY day WITH FILL TO toDate('2024-05-01') STEP step;
