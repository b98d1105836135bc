-- A time compared with a number is its seconds since 1970; a date is not.
CREATE TABLE at (t DateTime('UTC'), m DateTime64(3, 'UTC'), n Nullable(DateTime('UTC')), i Int64, f Float64) ENGINE = MergeTree ORDER BY t;
INSERT INTO at SELECT 1700000000 + number * 3600, toDateTime64(1700000000 + number * 3600, 3, 'UTC') + 0.5, if(number % 2 = 0, NULL, 1700000000 + number), 1700000000 + number * 3599, 1700003600.5 FROM numbers(100);
SELECT count() FROM at WHERE t > 1700007200;
SELECT count() FROM at WHERE t >= 1700007200 AND t < 1700010800;
SELECT count() FROM at WHERE t BETWEEN 1700000000 AND 1700003600;
SELECT count() FROM at WHERE t = 1700003600.5;
SELECT count() FROM at WHERE t > f;
SELECT count() FROM at WHERE t > -1 AND t < 5000000000;
SELECT count() FROM at WHERE m > 1700007200;
SELECT count() FROM at WHERE m = 1700007200.5;
SELECT count() FROM at WHERE m <= toDecimal64(1700007200.5, 1);
SELECT count() FROM at WHERE n > 1700000050;
SELECT count(), countIf(t = i), countIf(i < t) FROM at WHERE t >= i;
SELECT count() FROM at WHERE t IN (1700000000, 1700003600, 7);
SELECT count() FROM at WHERE (t, i) > (1700010800, 5);
SELECT toDateTime('2020-01-01 00:00:00', 'UTC') = 1577836800, toDateTime64('2020-01-01 00:00:00.250', 2, 'UTC') = 1577836800.25;
-- Unlike a date, which is no number.
-- error: ILLEGAL_TYPE_OF_ARGUMENT
SELECT toDate('2020-01-01') > 1;
-- error: ILLEGAL_TYPE_OF_ARGUMENT
SELECT count() FROM at WHERE toDate(t) = i;
DROP TABLE at;
