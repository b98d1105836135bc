-- ClickHouse widens the columns of a TTL alone: where something is computed of them before the interval is added, the time
-- begins anew at 1970, and it deletes rows that are to stay.
CREATE TABLE starts (k UInt32, t DateTime('UTC')) ENGINE = MergeTree ORDER BY k TTL toStartOfDay(t) + INTERVAL 100 YEAR;
INSERT INTO starts VALUES (1, '2034-01-01 00:00:00');
OPTIMIZE TABLE starts FINAL;
-- gap: rows stay until their time
SELECT count() FROM starts;
CREATE TABLE days (k UInt32, t DateTime('UTC')) ENGINE = MergeTree ORDER BY k TTL toDate(t) + toIntervalDay(46000), toDate(t + INTERVAL 200 YEAR) WHERE k = 1;
INSERT INTO days VALUES (1, '2034-01-01 00:00:00');
OPTIMIZE TABLE days FINAL;
-- gap: rows stay until their time
SELECT count() FROM days;
CREATE TABLE numbered (k UInt32, n UInt32) ENGINE = MergeTree ORDER BY k TTL toDateTime(n) + INTERVAL 100 YEAR;
INSERT INTO numbered VALUES (1, 2000000000);
OPTIMIZE TABLE numbered FINAL;
-- gap: rows stay until their time
SELECT count() FROM numbered;
