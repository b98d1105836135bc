SELECT * FROM loop(numbers(3)) LIMIT 7;
SELECT count(), sum(number) FROM (SELECT number FROM loop(numbers(10)) LIMIT 25);
SELECT * FROM loop(system.one) LIMIT 3;
SELECT dummy + 1 AS x FROM loop('system', 'one') WHERE dummy = 0 LIMIT 2;
SELECT * FROM loop(system, one) LIMIT 3;
CREATE TABLE looped (a UInt8, b String) ENGINE = MergeTree ORDER BY a;
INSERT INTO looped VALUES (1, 'x'), (2, 'y');
SELECT b, a FROM loop(looped) LIMIT 5;
SELECT a FROM loop(looped) WHERE b = 'y' LIMIT 2;
DESCRIBE TABLE loop(looped);
SELECT count() FROM (SELECT a FROM loop(looped) LIMIT 100000);
-- error: UNKNOWN_TABLE
SELECT * FROM loop(no_such_table) LIMIT 1;
DROP TABLE looped;
