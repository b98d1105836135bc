-- A number beside a DateTime64 is seconds, with their fraction.
CREATE TABLE t (at DateTime64(3, 'UTC'), v Int32) ENGINE = Memory;
INSERT INTO t VALUES ('2024-01-01 00:00:00.000', 1), ('2024-01-01 00:00:01.500', 2), ('2024-01-01 00:00:03', 3);
SELECT at, v FROM t ORDER BY at WITH FILL STEP 0.5;
SELECT at, v FROM t ORDER BY at DESC WITH FILL STEP -0.75;
SELECT at, v FROM t ORDER BY at WITH FILL STEP 0.3337 LIMIT 5;
SELECT at, v FROM t ORDER BY at WITH FILL STEP 1 STALENESS 1.5;
SELECT toDateTime64(number, 3, 'UTC') AS s FROM numbers(2) ORDER BY s WITH FILL FROM 0.5 TO 1.75 STEP 0.25;
SELECT toDateTime64(number * 2, 9, 'UTC') AS s FROM numbers(2) ORDER BY s WITH FILL STEP 0.7;
-- error: INVALID_WITH_FILL_EXPRESSION
SELECT toDateTime(number * 4, 'UTC') AS s FROM numbers(2) ORDER BY s WITH FILL STEP 1.5;
-- A key that stands there again changes nothing.
SELECT number * 3 AS a FROM numbers(3) ORDER BY a WITH FILL, a DESC;
SELECT number * 3 AS a, number AS c FROM numbers(3) ORDER BY a WITH FILL, a INTERPOLATE (c AS c + 1);
SELECT number * 3 AS a, number % 2 AS b FROM numbers(3) ORDER BY b, b, a WITH FILL, b;
SELECT number * 3 AS a, number % 2 AS b FROM numbers(3) ORDER BY b WITH FILL, a, b;
-- error: INVALID_WITH_FILL_EXPRESSION
SELECT number * 3 AS a FROM numbers(3) ORDER BY a, a WITH FILL;
-- error: INVALID_WITH_FILL_EXPRESSION
SELECT number * 3 AS a FROM numbers(3) ORDER BY a WITH FILL, a WITH FILL STEP 2;
-- Constants before the key are those of the rows that are made, too.
SELECT number * 2 AS a, 'x' AS b FROM numbers(2) ORDER BY b, a WITH FILL;
SELECT number * 2 AS a, 'x' AS b FROM numbers(2) ORDER BY a WITH FILL, b;
