-- What is added to a Date or a DateTime beyond its end does not begin anew at 1970: rows that are to stay for a century stay.
CREATE TABLE far (k UInt32, ts DateTime DEFAULT '2024-01-01 00:00:00') ENGINE = MergeTree ORDER BY k;
INSERT INTO far (k) VALUES (1), (2);
ALTER TABLE far MODIFY TTL ts + INTERVAL 100 YEAR;
OPTIMIZE TABLE far FINAL;
SELECT count() FROM far;

CREATE TABLE days (k UInt32, d Date) ENGINE = MergeTree ORDER BY k TTL d + toIntervalDay(46000);
INSERT INTO days VALUES (1, '2034-01-01'), (2, '1980-01-01');
OPTIMIZE TABLE days FINAL;
SELECT count() FROM days;

CREATE TABLE some_rows (k UInt32, d Date) ENGINE = MergeTree ORDER BY k TTL dateAdd(year, 10, d), d + INTERVAL 20 YEAR WHERE k > 5;
INSERT INTO some_rows VALUES (1, '2140-01-01'), (7, '2140-01-01'), (8, '2000-01-01');
OPTIMIZE TABLE some_rows FINAL;
SELECT * FROM some_rows ORDER BY k;

CREATE TABLE of_column (k UInt32, d Date, v String TTL d + INTERVAL 10 YEAR) ENGINE = MergeTree ORDER BY k;
INSERT INTO of_column VALUES (1, '2140-01-01', 'keep'), (2, '2000-01-01', 'old');
OPTIMIZE TABLE of_column FINAL;
SELECT * FROM of_column ORDER BY k;

CREATE TABLE grouped (k UInt32, d DateTime('UTC'), v UInt32) ENGINE = MergeTree ORDER BY k TTL d + INTERVAL 100 YEAR GROUP BY k SET v = sum(v);
INSERT INTO grouped VALUES (1, '2024-01-01 00:00:00', 5), (1, '2024-01-01 00:00:00', 6);
OPTIMIZE TABLE grouped FINAL;
SELECT k, v FROM grouped ORDER BY v;

-- Before 1970 is long ago.
CREATE TABLE early (k UInt32, t DateTime) ENGINE = MergeTree ORDER BY k TTL t - INTERVAL 60 YEAR;
INSERT INTO early VALUES (1, '1980-01-01 00:00:00');
OPTIMIZE TABLE early FINAL;
SELECT count() FROM early;

-- Where what is added to is not the column itself, too.
CREATE TABLE chosen (k UInt32, t DateTime) ENGINE = MergeTree ORDER BY k TTL if(k = 1, t, toDateTime('2100-01-01 00:00:00')) + INTERVAL 50 YEAR;
INSERT INTO chosen VALUES (1, '1970-01-02 00:00:00'), (2, '1970-01-02 00:00:00');
OPTIMIZE TABLE chosen FINAL;
SELECT k FROM chosen ORDER BY k;
CREATE TABLE inside (k UInt32, x Tuple(t DateTime)) ENGINE = MergeTree ORDER BY k TTL x.t + INTERVAL 100 YEAR;
INSERT INTO inside SELECT 1, tuple(toDateTime('2024-01-01 00:00:00'));
OPTIMIZE TABLE inside FINAL;
SELECT k FROM inside;
CREATE TABLE given (k UInt32, t Nullable(DateTime)) ENGINE = MergeTree ORDER BY k TTL assumeNotNull(t) + INTERVAL 100 YEAR;
INSERT INTO given VALUES (1, '2024-01-01 00:00:00'), (2, NULL);
OPTIMIZE TABLE given FINAL;
SELECT k FROM given ORDER BY k;
