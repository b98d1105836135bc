-- The smallest value of a signed type is its own opposite.
CREATE TABLE tiny (k Int8) ENGINE = MergeTree ORDER BY k;
INSERT INTO tiny VALUES (-128), (-67);
SELECT k FROM tiny WHERE -k > 2;
SELECT k FROM tiny WHERE -k IN (67, -128) ORDER BY k;
CREATE TABLE narrow (a Int16, b Int32, k UInt8) ENGINE = MergeTree ORDER BY k;
INSERT INTO narrow VALUES (-32768, -2147483648, 1), (-67, -67, 2);
SELECT k FROM narrow WHERE -a > 2;
SELECT k FROM narrow WHERE -b > 2;
SELECT k FROM narrow WHERE -a < 0 AND -b < 0;

-- What an interval moves over the end of a type begins again.
CREATE TABLE days (d Date) ENGINE = MergeTree ORDER BY d;
INSERT INTO days VALUES ('1970-01-03'), ('2024-03-10'), ('2149-01-01');
SELECT d FROM days WHERE d + INTERVAL 1 YEAR > '2024-05-01';
SELECT d FROM days WHERE d - toIntervalWeek(1) < '2024-05-01' ORDER BY d;
SELECT d FROM days WHERE d - INTERVAL 1 WEEK > '2024-05-01' ORDER BY d;
SELECT d FROM days WHERE d + INTERVAL 6 MONTH < '1980-01-01' ORDER BY d;

CREATE TABLE moments (k DateTime('UTC'), v UInt8) ENGINE = MergeTree ORDER BY k;
INSERT INTO moments VALUES ('1970-01-02 00:00:00', 1), ('2024-03-10 00:00:00', 2), ('2106-02-07 00:00:00', 3);
SELECT v FROM moments WHERE k - INTERVAL 2 WEEK < '2024-05-01 00:00:00' ORDER BY v;
SELECT v FROM moments WHERE k - INTERVAL 200 HOUR < '2024-05-01 00:00:00' ORDER BY v;
SELECT v FROM moments WHERE k + INTERVAL 90000 SECOND > '2000-01-01 00:00:00' ORDER BY v;
SELECT v FROM moments WHERE k + INTERVAL 2 DAY > '2000-01-01 00:00:00' ORDER BY v;

-- Times of day on the last days of months are not in order a month later, nor is an hour that comes twice a day later.
CREATE TABLE ends (t DateTime('UTC'), v UInt8) ENGINE = MergeTree ORDER BY t SETTINGS index_granularity = 1;
INSERT INTO ends VALUES ('2024-01-30 10:00:00', 1), ('2024-01-30 11:00:00', 2), ('2024-01-31 09:00:00', 3);
SELECT v FROM ends WHERE t + INTERVAL 1 MONTH < '2024-02-29 09:30:00' ORDER BY v;
SELECT v FROM ends WHERE t + INTERVAL 1 MONTH > '2024-02-29 09:30:00' ORDER BY v;

CREATE TABLE clocks (t DateTime('America/New_York'), v UInt8) ENGINE = MergeTree ORDER BY t SETTINGS index_granularity = 2;
INSERT INTO clocks SELECT toDateTime('2024-11-03 05:00:00', 'UTC') + number * 600, number FROM numbers(20);
SELECT count(), sum(v) FROM clocks WHERE t + INTERVAL 1 DAY < '2024-11-04 01:15:00';
SELECT count(), sum(v) FROM clocks WHERE t + INTERVAL 1 DAY > '2024-11-04 01:35:00';
SELECT count(), sum(v) FROM clocks WHERE t + INTERVAL 1 HOUR > '2024-11-03 04:00:00';

-- Instants within the calendar are found whichever unit moves them.
CREATE TABLE fine (t DateTime64(3, 'UTC'), v UInt32) ENGINE = MergeTree ORDER BY t SETTINGS index_granularity = 100;
INSERT INTO fine SELECT toDateTime64('2024-01-01 00:00:00', 3, 'UTC') + number * 3600, number FROM numbers(2000);
SELECT count(), max(v) FROM fine WHERE t + INTERVAL 1 DAY < '2024-01-05 00:00:00';
SELECT count(), max(v) FROM fine WHERE t - INTERVAL 3 MONTH < '2023-10-05 00:00:00';
SELECT count(), min(v) FROM fine WHERE t + INTERVAL 5 MILLISECOND > '2024-03-20 00:00:00';
