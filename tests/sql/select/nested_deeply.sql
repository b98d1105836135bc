-- Work for an expression grows as its text does, and what is nested too deep is refused.
SELECT if(1, if(1, if(1, if(1, if(1, if(1, if(1, if(1, if(1, if(1, if(1, if(1, if(1, if(1, if(1, if(1, if(1, if(1, if(1, if(1, if(1, if(1, number, a), b), c), d), e), f), g), h), i), j), k), l), m), n), o), p), q), r), s), t), u), v)
FROM numbers(2);
-- error: UNKNOWN_IDENTIFIER
SELECT if(1, if(1, if(1, if(1, if(1, if(1, if(1, if(1, if(1, if(1, if(1, if(1, if(1, if(1, if(1, if(1, if(1, if(1, if(1, if(1, if(1, if(1, nope, a), b), c), d), e), f), g), h), i), j), k), l), m), n), o), p), q), r), s), t), u), v)
FROM numbers(2);
SELECT ((((((((((((((((number, 1) IN ((1, 1)), 1) IN ((1, 1)), 1) IN ((1, 1)), 1) IN ((1, 1)), 1) IN ((1, 1)), 1) IN ((1, 1)), 1) IN ((1, 1)), 1) IN ((1, 1)), 1) IN ((1, 1)), 1) IN ((1, 1)), 1) IN ((1, 1)), 1) IN ((1, 1)), 1) IN ((1, 1)), 1) IN ((1, 1)), 1) IN ((1, 1)), 1) IN ((1, 1)) AS r
FROM numbers(3);
SELECT (((((((((((number, 1) < (1, number), 1) < (1, number), 1) < (1, number), 1) < (1, number), 1) < (1, number), 1) < (1, number), 1) < (1, number), 1) < (1, number), 1) < (1, number), 1) < (1, number), 1) < (1, number) AS r
FROM numbers(3);
SELECT nullIf(nullIf(nullIf(nullIf(nullIf(nullIf(nullIf(nullIf(nullIf(nullIf(nullIf(nullIf(nullIf(nullIf(nullIf(nullIf(nullIf(nullIf(number, 1), 2), 3), 4), 5), 6), 7), 8), 9), 10), 11), 12), 13), 14), 15), 16), 17), 18) AS r
FROM numbers(3);
SELECT toDate('2024-01-31') + INTERVAL 1 DAY + INTERVAL 1 DAY + INTERVAL 1 DAY + INTERVAL 1 DAY + INTERVAL 1 DAY + INTERVAL 1 DAY + INTERVAL 1 DAY
+ INTERVAL 1 DAY + INTERVAL 1 DAY + INTERVAL 1 DAY + INTERVAL 1 DAY + INTERVAL 1 DAY + INTERVAL 1 DAY + INTERVAL 1 DAY + INTERVAL 1 DAY + INTERVAL 1 DAY
+ INTERVAL 1 DAY + INTERVAL 1 DAY + INTERVAL 1 DAY + INTERVAL 1 DAY + INTERVAL 1 DAY + INTERVAL 1 MONTH AS r;
SELECT CASE (CASE (CASE number WHEN 0 THEN 1 WHEN 1 THEN 2 ELSE 3 END) WHEN 1 THEN 'a' WHEN 2 THEN 'b' END) WHEN 'a' THEN 10 WHEN 'b' THEN 20 END AS r
FROM numbers(3);
WITH (WITH (WITH (WITH 1 AS a, a + 1 AS b SELECT b) AS c, 1 AS d SELECT c + d) AS e, 7 AS f SELECT (e, f)) AS g SELECT g, g.1 AS h;
WITH x AS (WITH y AS (WITH 5 AS z SELECT z AS v) SELECT v + 1 AS v FROM y), (SELECT v FROM x) AS w SELECT v, w FROM x;
SELECT ((((((((((((((((((((((((((((((number IN (1, 2)) IN (1, 2)) IN (1, 2)) IN (1, 2)) IN (1, 2)) IN (1, 2)) IN (1, 2)) IN (1, 2)) IN (1, 2)) IN (1, 2)) IN (1, 2)) IN (1, 2)) IN (1, 2)) IN (1, 2)) IN (1, 2)) IN (1, 2)) IN (1, 2)) IN (1, 2)) IN (1, 2)) IN (1, 2)) IN (1, 2)) IN (1, 2)) IN (1, 2)) IN (1, 2)) IN (1, 2)) IN (1, 2)) IN (1, 2)) IN (1, 2)) IN (1, 2)) IN (1, 2)) AS r
FROM numbers(3);
SELECT ((((((((((((((((((((((((((((((((number = 1) + 1) = 1) + 1) = 1) + 1) = 1) + 1) = 1) + 1) = 1) + 1) = 1) + 1) = 1) + 1) = 1) + 1) = 1) + 1) = 1) + 1) = 1) + 1) = 1) + 1) = 1) + 1) = 1) + 1) = 1) + 1) AS r
FROM numbers(3);
SELECT ((((((((((((((((number > 0.5) > 0.5) > 0.5) > 0.5) > 0.5) > 0.5) > 0.5) > 0.5) > 0.5) > 0.5) > 0.5) > 0.5) > 0.5) > 0.5) > 0.5) > 0.5) AS r
FROM numbers(3);
SELECT toDate(toDate(toDate(toDate(toDate(toDate(toDate(toDate(toDate(toDate(toDate(toDate(toDate(toDate(toDate(toDate(toDate(toDate(toDate(toDate(toDate(toDate(toDate(toDate(toDate(number) = '1970-01-02') = '1970-01-02') = '1970-01-02') = '1970-01-02') = '1970-01-02') = '1970-01-02') = '1970-01-02') = '1970-01-02') = '1970-01-02') = '1970-01-02') = '1970-01-02') = '1970-01-02') = '1970-01-02') = '1970-01-02') = '1970-01-02') = '1970-01-02') = '1970-01-02') = '1970-01-02') = '1970-01-02') = '1970-01-02') = '1970-01-02') = '1970-01-02') = '1970-01-02') = '1970-01-02') AS r
FROM numbers(3);
SELECT toString(toString(toString(toString(toString(toString(toString(toString(toString(toString(toString(toString(toString(toString(toString(toString(toString(number) LIKE '1%') LIKE '1%') LIKE '1%') LIKE '1%') LIKE '1%') LIKE '1%') LIKE '1%') LIKE '1%') LIKE '1%') LIKE '1%') LIKE '1%') LIKE '1%') LIKE '1%') LIKE '1%') LIKE '1%') LIKE '1%') AS r
FROM numbers(3);
