SELECT formatQuerySingleLine('SELECT a LIKE b ESCAPE \'!\', a NOT LIKE b ESCAPE \'!\'');
SELECT formatQuerySingleLine('SELECT a ~ b, a !~ b, a ~* b, a !~* b');
SELECT formatQuerySingleLine('SELECT arraySum(x, y -> x + y, a, b)');
SELECT formatQuerySingleLine('SELECT TOP 2 a FROM t');
SELECT formatQuerySingleLine('SELECT INTERVAL 1 d, INTERVAL \'1 day 2 hour\', INTERVAL 3 hours');
SELECT formatQuerySingleLine('SELECT EXTRACT(week FROM d), EXTRACT(century FROM d), date_part(\'year\', d)');
SELECT formatQuerySingleLine('SELECT r FROM t GROUP BY (id % 3) AS r ORDER BY id AS x DESCENDING, y ASCENDING');
SELECT formatQuerySingleLine('SELECT x\'41\', 0x1p3');
