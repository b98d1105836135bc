-- `()` is a tuple of nothing, and no order.
SELECT number FROM numbers(1) ORDER BY ();
SELECT number FROM numbers(1) ORDER BY () ASC;
SELECT number FROM numbers(3) ORDER BY () DESC, number DESC;
SELECT number FROM numbers(3) ORDER BY tuple(), number LIMIT 2;
SELECT count(), sum(number) FROM numbers(3) GROUP BY ();
SELECT count() OVER (PARTITION BY () ORDER BY ()) FROM numbers(3);
SELECT a, count() FROM (SELECT number % 2 AS a FROM numbers(3)) GROUP BY GROUPING SETS ((a), ()) ORDER BY 1, 2;
CREATE TABLE nothing (a UInt8, b String) ENGINE = MergeTree() PARTITION BY () PRIMARY KEY () ORDER BY () SETTINGS index_granularity = 1024;
INSERT INTO nothing VALUES (1, 'x'), (2, 'y');
SELECT * FROM nothing ORDER BY () ASC, a;
CREATE TABLE nothing_again (a UInt8) ENGINE MergeTree ORDER BY () COMMENT 'c';
SELECT count() FROM nothing_again;
