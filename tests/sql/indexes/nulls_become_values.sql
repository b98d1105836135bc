-- Functions that make a value of NULL, which the key keeps behind all values. (Below a NULL that is parsed, ClickHouse keeps 0.)
CREATE TABLE n (n Nullable(Int32), v UInt32) ENGINE = MergeTree ORDER BY n SETTINGS index_granularity = 4, allow_nullable_key = 1;
INSERT INTO n SELECT toInt32OrNull(if(number % 10 = 0, '', toString(number - 20))), number FROM numbers(100);
SELECT count(), sum(v) FROM n WHERE assumeNotNull(n) = 75;
SELECT count(), sum(v) FROM n WHERE assumeNotNull(n) = 0;
SELECT count(), sum(v) FROM n WHERE assumeNotNull(n) > 75;
SELECT count(), sum(v) FROM n WHERE assumeNotNull(n) >= 0;
SELECT count(), sum(v) FROM n WHERE assumeNotNull(n) < -18;
SELECT count(), sum(v) FROM n WHERE assumeNotNull(n) IN (-19, 0, 75);
SELECT count(), sum(v) FROM n WHERE assumeNotNull(n) NOT IN (-19, 0, 75);
SELECT count(), sum(v) FROM n WHERE assumeNotNull(n) != 0;
SELECT count(), sum(v) FROM n WHERE NOT (assumeNotNull(n) = 0);
SELECT count(), sum(v) FROM n WHERE assumeNotNull(n) + 1 = 76;
SELECT count(), sum(v) FROM n WHERE assumeNotNull(n) + 1 = 1;
SELECT count(), sum(v) FROM n WHERE -assumeNotNull(n) = -75;
SELECT count(), sum(v) FROM n WHERE -assumeNotNull(n) = 0;
SELECT count(), sum(v) FROM n WHERE -assumeNotNull(n) > 15;
SELECT count(), sum(v) FROM n WHERE assumeNotNull(-n) < -70;
SELECT count(), sum(v) FROM n WHERE toString(assumeNotNull(n)) = '75';
SELECT count(), sum(v) FROM n WHERE toString(assumeNotNull(n)) = '0';
SELECT count(), sum(v) FROM n WHERE assumeNotNull(toString(n)) = '75';
SELECT count(), sum(v) FROM n WHERE ifNull(n, 3) = 3;
SELECT count(), sum(v) FROM n WHERE coalesce(n, 3) > 75;
SELECT count(), sum(v) FROM n WHERE isNull(n);
SELECT count(), sum(v) FROM n WHERE if(isNull(n), 5, n) = 5;
SELECT count(), sum(v) FROM n WHERE (n, 1) = (75, 1);
SELECT count(), sum(v) FROM n WHERE isNotDistinctFrom(n, NULL);
SELECT v FROM n WHERE v < 25 ORDER BY assumeNotNull(n), v;
SELECT v FROM n ORDER BY assumeNotNull(n) DESC, v LIMIT 5;
SELECT assumeNotNull(n) AS a, count() FROM n WHERE v < 31 GROUP BY a ORDER BY a LIMIT 25 SETTINGS optimize_aggregation_in_order = 1;
-- The bounds of a column that is no key.
CREATE TABLE c (k UInt32, n Nullable(Int32)) ENGINE = MergeTree ORDER BY k SETTINGS index_granularity = 4;
INSERT INTO c SELECT number, toInt32OrNull(if(number % 10 = 0, '', toString(number))) FROM numbers(100);
SELECT k FROM c WHERE assumeNotNull(n) = 75;
SELECT count(), sum(k) FROM c WHERE assumeNotNull(n) = 0;
SELECT count(), sum(k) FROM c WHERE assumeNotNull(n) < 3;
SELECT k FROM c ORDER BY assumeNotNull(n), k LIMIT 12;
-- A key of two columns, texts, a key that descends.
CREATE TABLE p (a UInt8, s Nullable(String)) ENGINE = MergeTree ORDER BY (a, s) SETTINGS index_granularity = 4, allow_nullable_key = 1;
INSERT INTO p SELECT number % 3, if(number % 7 = 0, NULL, leftPad(toString(number), 3, '0')) FROM numbers(100);
SELECT a, s FROM p WHERE assumeNotNull(s) LIKE '01%' ORDER BY a, s;
SELECT count() FROM p WHERE assumeNotNull(s) = '';
SELECT count() FROM p WHERE assumeNotNull(s) < '003';
SELECT a, s FROM p WHERE startsWith(assumeNotNull(s), '09') AND a = 1 ORDER BY s;
CREATE TABLE low (s LowCardinality(Nullable(String))) ENGINE = MergeTree ORDER BY s SETTINGS index_granularity = 4, allow_nullable_key = 1;
INSERT INTO low SELECT if(number % 7 = 0, NULL, leftPad(toString(number), 3, '0')) FROM numbers(100);
SELECT s FROM low WHERE assumeNotNull(s) = '099';
SELECT count() FROM low WHERE assumeNotNull(s) = '';
-- Parts by what is kept of them, and an index of the table. (ClickHouse leaves out the partition of NULL where 0 is asked for.)
CREATE TABLE m (n Nullable(Int32), k UInt32, INDEX i n TYPE minmax GRANULARITY 1) ENGINE = MergeTree PARTITION BY n ORDER BY k SETTINGS index_granularity = 4, allow_nullable_key = 1;
INSERT INTO m SELECT toInt32OrNull(if(number % 10 = 0, '', toString(number % 10))), number FROM numbers(40);
SELECT count(), sum(k) FROM m WHERE assumeNotNull(n) = 5;
-- What is changed is what is found.
ALTER TABLE n DELETE WHERE assumeNotNull(n) = 75 SETTINGS mutations_sync = 2;
SELECT count(), sum(v) FROM n;
ALTER TABLE n UPDATE v = 1000 WHERE assumeNotNull(n) = 0 SETTINGS mutations_sync = 2;
SELECT count(), sum(v) FROM n;
