-- The zeroes of both signs are one key.
CREATE TABLE latest (k Float64, v UInt32) ENGINE = ReplacingMergeTree(v) ORDER BY k;
INSERT INTO latest VALUES (-0.0, 7);
INSERT INTO latest VALUES (0.0, 6), (1.5, 1), (-1.5, 1);
SELECT * FROM latest FINAL ORDER BY k;
OPTIMIZE TABLE latest FINAL;
SELECT * FROM latest ORDER BY k;
SELECT v FROM latest WHERE k = 0;

CREATE TABLE sums (f Float32, x UInt8, v UInt32) ENGINE = SummingMergeTree ORDER BY (f, x);
INSERT INTO sums VALUES (0.0, 1, 1), (-0.0, 2, 2), (0.0, 3, 4);
INSERT INTO sums VALUES (-0.0, 1, 10), (0.0, 2, 20), (-0.0, 3, 40);
SELECT abs(f), x, sum(v) FROM sums GROUP BY 1, 2 ORDER BY x;
SELECT abs(f), x, v FROM sums FINAL ORDER BY x;
OPTIMIZE TABLE sums FINAL;
SELECT count(), sum(v) FROM sums;
SELECT x, v FROM sums WHERE f = 0 AND x = 2;
SELECT x, v FROM sums WHERE f >= -0.0 AND x > 2;

CREATE TABLE pairs (t Tuple(Float64, UInt8), v UInt32) ENGINE = ReplacingMergeTree ORDER BY t SETTINGS index_granularity = 1;
INSERT INTO pairs VALUES ((0.0, 1), 1), ((5.0, 1), 1);
INSERT INTO pairs VALUES ((-0.0, 1), 2);
SELECT abs(t.1), t.2, v FROM pairs FINAL ORDER BY v;
SELECT v FROM pairs WHERE t = (0.0, 1) ORDER BY v;

-- Both lie where the order of the key puts them, and are found by what is behind them in it.
CREATE TABLE plain (f Float64, x UInt32) ENGINE = MergeTree ORDER BY (f, x) SETTINGS index_granularity = 2;
INSERT INTO plain SELECT if(number % 2 = 0, 0.0, -0.0), number FROM numbers(20);
INSERT INTO plain SELECT if(number % 3 = 0, 0.0, -0.0), number FROM numbers(20);
SELECT count() FROM plain WHERE f = 0 AND x = 7;
SELECT count() FROM plain WHERE f = -0.0 AND x BETWEEN 3 AND 9;
SELECT x FROM plain ORDER BY f, x LIMIT 5;
SELECT count(), sum(c) FROM (SELECT abs(f) AS a, x, count() AS c FROM plain GROUP BY a, x);
-- Partitions, and the values that an index keeps, tell them apart.
CREATE TABLE kept (f Float64, x UInt32, INDEX i f TYPE set(10) GRANULARITY 1) ENGINE = MergeTree ORDER BY x;
INSERT INTO kept VALUES (0.0, 1), (-0.0, 2);
SELECT x FROM kept WHERE toString(f) = '-0';
SELECT x FROM kept WHERE f = 0 ORDER BY x;
