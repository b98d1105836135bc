-- An unnamed column is named as it was written, letter by letter, but for forms that the parser turns into functions.
SELECT COUNT(*), Count(), Max(number) FROM numbers(3) FORMAT TSVWithNames;
SELECT substr('abc', 2), IF(1,2,3), NOW() = now(), DATE('2020-01-01'), COALESCE(NULL, 1), MAX(1) OVER (), Lower('A') AS b, ABS(-1) + Abs(2) FORMAT TSVWithNames;
SELECT CASE WHEN 1 THEN 'a' ELSE 'b' END, YEAR(toDate('2020-01-01')), EXTRACT(YEAR FROM toDate('2020-01-01')), CONCAT('a', 'b'), 'a' || UPPER('b'), TRIM(' a '), LTRIM(' a') FORMAT TSVWithNames;
SELECT STDDEV_POP(1), ANY_VALUE(1), COUNT(DISTINCT number), AVG(number) FROM numbers(2) FORMAT TSVWithNames;
SELECT `MAX(number)` FROM (SELECT MAX(number) FROM numbers(3)) FORMAT TSVWithNames;
-- error: UNKNOWN_IDENTIFIER
SELECT `max(number)` FROM (SELECT MAX(number) FROM numbers(3)) FORMAT TSVWithNames;
SELECT JSON_VALUE('{"a":1}', '$.a'), DATE_DIFF('day', toDate('2020-01-01'), toDate('2020-01-02')), DATEDIFF('day', toDate('2020-01-01'), toDate('2020-01-02')), DATE_ADD(DAY, 1, toDate('2020-01-01')), TIMESTAMP_ADD(toDate('2020-01-01'), INTERVAL 1 DAY), POSITION('a' IN 'ba'), SUBSTRING('abc' FROM 2), CAST(1 AS String), 1::String, Cast(1, 'String') FORMAT TSVWithNames;
SELECT DateDiff('day', toDate('2020-01-01'), toDate('2020-01-02')), CURRENT_TIMESTAMP() = now(), NULLIF(1, 2), IFNULL(NULL, 1), GREATEST(1, 2), Least(1,2), LENGTH('a'), Replace('a','a','b'), LEFT('abc', 1), RIGHT('abc', 1), ROUND(1.1) FORMAT TSVWithNames;
SELECT timeZone() = timezone(), lcase('A'), CEILING(1.5), toTimeZone(toDateTime(0, 'UTC'), 'UTC') FORMAT TSVWithNames;
SELECT MAX(number) AS m FROM numbers(3) GROUP BY MOD(number, 2) ORDER BY MAX(number) FORMAT TSVWithNames;
