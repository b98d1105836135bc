-- ORDER BY … WITH FILL: rows that are missing between those that are there.
SELECT n FROM (SELECT number * 2 + 1 AS n FROM numbers(3)) ORDER BY n WITH FILL;
SELECT n, source FROM (SELECT toFloat32(number % 10) AS n, 'original' AS source FROM numbers(10) WHERE number % 3 = 1) ORDER BY n WITH FILL FROM 0 TO 5.51 STEP 0.5;
SELECT n, source FROM (SELECT number % 10 AS n, 'original' AS source FROM numbers(10) WHERE number % 3 = 1) ORDER BY n WITH FILL FROM 0 TO 11;
SELECT n FROM (SELECT number * 3 AS n FROM numbers(4)) ORDER BY n DESC WITH FILL;
SELECT n FROM (SELECT toInt64(number * 3) AS n FROM numbers(4)) ORDER BY n DESC WITH FILL FROM 11 TO -2 STEP -2;
SELECT toInt64(number) AS n FROM numbers(0) ORDER BY n WITH FILL FROM 1 TO 4;
SELECT toInt64(number) AS n FROM numbers(0) ORDER BY n WITH FILL;
SELECT n FROM (SELECT number AS n FROM numbers(3)) ORDER BY n WITH FILL TO 6 LIMIT 5;
SELECT n FROM (SELECT number AS n FROM numbers(3)) ORDER BY n WITH FILL FROM 1 TO 6 LIMIT 2, 2;
SELECT n FROM (SELECT arrayJoin([1, 3, 4, 8]) AS n) ORDER BY n WITH FILL STEP 2;
SELECT n FROM (SELECT arrayJoin([1, 5, 5, 5, 9]) AS n) ORDER BY n WITH FILL STEP 3;
SELECT n FROM (SELECT arrayJoin([10, 3]) AS n) ORDER BY n WITH FILL FROM 5 TO 8;
-- Dates and times.
SELECT toDate((number * 10) * 86400) AS d1, toDate(number * 86400) AS d2, 'original' AS source FROM numbers(10) WHERE number % 3 = 1 ORDER BY d2 WITH FILL, d1 WITH FILL STEP 5;
SELECT toDate((number * 10) * 86400) AS d1, toDate(number * 86400) AS d2, 'original' AS source FROM numbers(10) WHERE number % 3 = 1 ORDER BY d1 WITH FILL STEP 5, d2 WITH FILL;
SELECT d FROM (SELECT arrayJoin([toDate('2024-01-31'), toDate('2024-05-31')]) AS d) ORDER BY d WITH FILL STEP INTERVAL 1 MONTH;
SELECT d FROM (SELECT arrayJoin([toDate('2024-01-31'), toDate('2024-03-01')]) AS d) ORDER BY d WITH FILL STEP toIntervalWeek(1);
SELECT d, v FROM (SELECT toDate('2024-02-27') AS d, 1 AS v) ORDER BY d WITH FILL FROM toDate('2024-02-25') TO toDate('2024-03-02');
SELECT d FROM (SELECT toDate('2024-02-27') AS d) ORDER BY d DESC WITH FILL TO toDate('2023-11-01') STEP INTERVAL -1 MONTH;
SELECT t FROM (SELECT arrayJoin([toDateTime('2024-01-01 00:00:00', 'UTC'), toDateTime('2024-01-01 02:00:00', 'UTC')]) AS t) ORDER BY t WITH FILL STEP INTERVAL 30 MINUTE;
SELECT t FROM (SELECT arrayJoin([toDateTime('2024-03-30 12:00:00', 'Europe/Berlin'), toDateTime('2024-04-02 12:00:00', 'Europe/Berlin')]) AS t) ORDER BY t WITH FILL STEP INTERVAL 1 DAY;
SELECT t FROM (SELECT arrayJoin([toDateTime64('2024-01-01 00:00:00.500', 3, 'UTC'), toDateTime64('2024-01-01 00:00:03.000', 3, 'UTC')]) AS t) ORDER BY t WITH FILL STEP 1;
SELECT t FROM (SELECT arrayJoin([toDateTime64('2024-01-01 00:00:00.5', 1, 'UTC'), toDateTime64('2024-01-01 00:00:03.0', 1, 'UTC')]) AS t) ORDER BY t WITH FILL STEP INTERVAL 1 SECOND;
SELECT d FROM (SELECT arrayJoin([toDate32('1925-01-01'), toDate32('1925-01-04')]) AS d) ORDER BY d WITH FILL;
-- Columns beside.
SELECT n, s, a, x FROM (SELECT arrayJoin([1, 4]) AS n, 'text' AS s, [1, 2] AS a, toNullable(5) AS x) ORDER BY n WITH FILL;
SELECT n + 1 AS m FROM (SELECT arrayJoin([1, 4]) AS n) ORDER BY n WITH FILL;
SELECT n FROM (SELECT arrayJoin([1, 4, NULL]) AS n) ORDER BY n WITH FILL;
SELECT n FROM (SELECT arrayJoin([1, 4, NULL]) AS n) ORDER BY n NULLS FIRST WITH FILL FROM 0 TO 6;
SELECT DISTINCT n % 5 AS m FROM (SELECT arrayJoin([1, 4, 6, 9]) AS n) ORDER BY m WITH FILL FROM 0 TO 6;
SELECT toInt8(n % 3) AS g, count() FROM (SELECT arrayJoin([1, 4, 6, 9]) AS n) GROUP BY g ORDER BY g WITH FILL FROM -1 TO 4;
SELECT count(), sum(n) FROM (SELECT arrayJoin([1, 4, 6, 9]) AS n ORDER BY n WITH FILL TO 12);
-- error: INVALID_WITH_FILL_EXPRESSION
SELECT n % 3 AS g, count() FROM (SELECT arrayJoin([1, 4, 6, 9]) AS n) GROUP BY g ORDER BY g WITH FILL FROM -1 TO 4;
-- Within each value of the keys before.
CREATE TABLE ts (sensor UInt64, time UInt64, value Float64) ENGINE = MergeTree ORDER BY (sensor, time);
INSERT INTO ts VALUES (1, 10, 1), (1, 12, 2), (3, 5, 1), (3, 7, 3), (5, 1, 1), (5, 3, 1);
SELECT * FROM ts ORDER BY sensor, time WITH FILL STEP 1;
SELECT * FROM ts ORDER BY sensor, time WITH FILL STEP 1 SETTINGS max_block_size = 2;
SELECT * FROM ts ORDER BY sensor, time WITH FILL FROM 6 TO 10 STEP 1 INTERPOLATE (value AS 9999);
SELECT * FROM ts ORDER BY sensor, time WITH FILL FROM 6 TO 10 STEP 1 INTERPOLATE (value AS 9999) SETTINGS use_with_fill_by_sorting_prefix = 0;
SELECT * FROM ts ORDER BY sensor DESC, time WITH FILL FROM 6 TO 10 STEP 1 INTERPOLATE (value AS 9999);
SELECT * FROM ts ORDER BY sensor, time WITH FILL FROM 6 STEP 1 INTERPOLATE (value AS 9999);
SELECT * FROM ts ORDER BY sensor, time WITH FILL TO 10 STEP 1 INTERPOLATE (value AS 9999);
SELECT * FROM ts ORDER BY sensor WITH FILL, time WITH FILL FROM 1 TO 4;
-- INTERPOLATE.
SELECT n, source, inter FROM (SELECT toFloat32(number % 10) AS n, 'original' AS source, number AS inter FROM numbers(10) WHERE number % 3 = 1) ORDER BY n WITH FILL FROM 0 TO 5.51 STEP 0.5 INTERPOLATE (inter AS inter + 1);
SELECT n, source, inter FROM (SELECT number % 10 AS n, 'original' AS source, number AS inter FROM numbers(10) WHERE number % 3 = 1) ORDER BY n WITH FILL FROM 0 TO 11 INTERPOLATE (inter, source);
SELECT n, source, inter FROM (SELECT number % 10 AS n, 'original' AS source, number AS inter FROM numbers(10) WHERE number % 3 = 1) ORDER BY n WITH FILL FROM 0 TO 11 INTERPOLATE;
SELECT n, a, b FROM (SELECT arrayJoin([1, 5]) AS n, materialize(1) AS a, materialize(10) AS b) ORDER BY n WITH FILL INTERPOLATE (a AS a * 2, b AS b + 1);
-- STALENESS.
SELECT n, 'original' AS source FROM (SELECT arrayJoin([0, 5, 10, 15, 30]) AS n) ORDER BY n WITH FILL STEP 1 STALENESS 3;
SELECT n, v FROM (SELECT arrayJoin([0, 5, 10]) AS n, n AS v) ORDER BY n WITH FILL STEP 2 STALENESS 3 INTERPOLATE (v AS v);
SELECT t FROM (SELECT arrayJoin([toDateTime('2016-06-15 23:00:00', 'UTC'), toDateTime('2016-06-15 23:00:20', 'UTC')]) AS t) ORDER BY t WITH FILL STEP INTERVAL 5 SECOND STALENESS INTERVAL 11 SECOND;
-- What cannot be filled.
-- error: INVALID_WITH_FILL_EXPRESSION
SELECT 'a' || toString(number) AS s FROM numbers(2) ORDER BY s WITH FILL;
-- error: INVALID_WITH_FILL_EXPRESSION
SELECT number AS n FROM numbers(2) ORDER BY n WITH FILL STEP -1;
-- error: INVALID_WITH_FILL_EXPRESSION
SELECT number AS n FROM numbers(2) ORDER BY n WITH FILL STEP 0;
-- error: INVALID_WITH_FILL_EXPRESSION
SELECT number AS n FROM numbers(2) ORDER BY n WITH FILL FROM 5 TO 1;
-- error: INVALID_WITH_FILL_EXPRESSION
SELECT number AS n FROM numbers(2) ORDER BY n WITH FILL FROM 'a';
-- error: INVALID_WITH_FILL_EXPRESSION
SELECT number AS n FROM numbers(2) ORDER BY n WITH FILL STEP INTERVAL 1 DAY;
-- error: INVALID_WITH_FILL_EXPRESSION
SELECT toDate('2024-01-01') AS d ORDER BY d WITH FILL STEP INTERVAL 1 HOUR;
-- error: INVALID_WITH_FILL_EXPRESSION
SELECT toDateTime('2024-01-01', 'UTC') AS d ORDER BY d WITH FILL TO '2024-02-17' STEP toIntervalHour(1);
-- error: INVALID_WITH_FILL_EXPRESSION
SELECT number AS n, n + 1 AS m FROM numbers(2) ORDER BY n WITH FILL INTERPOLATE (n AS n + 1);
-- error: INVALID_WITH_FILL_EXPRESSION
SELECT number AS n FROM numbers(2) ORDER BY n WITH FILL FROM 0 STEP 1 STALENESS 2;
