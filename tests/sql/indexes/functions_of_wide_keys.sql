-- Functions of wide integers and decimals leave granules out.

CREATE TABLE i128 (k Int128, n UInt32) ENGINE=MergeTree ORDER BY k SETTINGS index_granularity=10;
INSERT INTO i128 SELECT toInt128(number)-500, number FROM numbers(1000);
CREATE TABLE de (k Decimal(18,3), n UInt32) ENGINE=MergeTree ORDER BY k SETTINGS index_granularity=10;
INSERT INTO de SELECT number/4-100, number FROM numbers(1000);
SELECT count(), sum(n) FROM i128 WHERE k+5 < 8;
SELECT count(), sum(n) FROM i128 WHERE k*-2 = 8;
SELECT count(), sum(n) FROM i128 WHERE intDiv(k, 7) = -3;
SELECT count(), sum(n) FROM i128 WHERE floor(k, -1) = -30;
SELECT count(), sum(n) FROM de WHERE k/4 < 3;
SELECT count(), sum(n) FROM de WHERE intDiv(k, 7) = -1;
SELECT marks < 5 FROM (EXPLAIN ESTIMATE SELECT n FROM i128 WHERE k*-2 = 8);
SELECT marks < 60 FROM (EXPLAIN ESTIMATE SELECT n FROM de WHERE k/4 < 3);
SELECT marks < 60 FROM (EXPLAIN ESTIMATE SELECT n FROM i128 WHERE intDiv(k, 7) = -3);
