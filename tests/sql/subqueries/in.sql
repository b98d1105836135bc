SELECT number FROM numbers(10) WHERE number IN (SELECT number * 2 FROM numbers(5)) ORDER BY number;
SELECT number FROM numbers(5) WHERE number NOT IN (SELECT number * 2 FROM numbers(5)) ORDER BY number;
SELECT number IN (SELECT 1) FROM numbers(3) ORDER BY number;
SELECT count() FROM numbers(10) WHERE number IN (SELECT number FROM numbers(0));
SELECT count() FROM numbers(10) WHERE number NOT IN (SELECT number FROM numbers(0));
SELECT number FROM numbers(5) WHERE (number, toString(number)) IN (SELECT number, toString(number) FROM numbers(2, 2)) ORDER BY number;
CREATE TABLE ids (id UInt64) ENGINE = Memory;
INSERT INTO ids VALUES (3), (5);
SELECT number FROM numbers(10) WHERE number IN ids ORDER BY number;
SELECT number FROM numbers(10) WHERE number IN (SELECT * FROM ids) AND number IN (SELECT 5) ORDER BY number;
SELECT number FROM numbers(10) WHERE number GLOBAL IN (SELECT id FROM ids) ORDER BY number;
SELECT toString(number) IN (SELECT toString(id) FROM ids) AS x, count() FROM numbers(10) GROUP BY x ORDER BY x;
SELECT 1 IN (SELECT 1), NULL IN (SELECT 1), 1 IN (SELECT NULL), 1 NOT IN (SELECT 2);
SELECT sum(number IN (SELECT number FROM numbers(500))) FROM numbers(1000);
SELECT number FROM numbers(3) WHERE number IN (SELECT toString(1)) ORDER BY number;
-- error: NUMBER_OF_COLUMNS_DOESNT_MATCH
SELECT 1 IN (SELECT 1, 2);
SELECT number FROM numbers(4) WHERE number IN (1, 1 + 1) ORDER BY number;
SELECT number FROM numbers(6) WHERE number IN (range(3)) ORDER BY number;
