-- EXCEPT, REPLACE and APPLY behind a star, without parentheses.
CREATE TABLE t (id UInt32, g String, d Date) ENGINE = Memory;
INSERT INTO t VALUES (1, 'a', '2024-01-01');
SELECT * EXCEPT 'i|w' FROM t;
SELECT * EXCEPT ('i|g') FROM t;
SELECT * EXCEPT id FROM t;
SELECT * EXCEPT id, g FROM t FORMAT TSVWithNames;
SELECT * EXCEPT id EXCEPT g FROM t;
SELECT t.* EXCEPT 'i' FROM t FORMAT TSVWithNames;
SELECT * REPLACE id + 1 AS id FROM t;
SELECT * REPLACE id + 1 AS id, 5 FROM t;
SELECT * REPLACE (id + 1 AS id) FROM t;
SELECT * REPLACE id + 1 AS id APPLY toString FROM t;
SELECT * APPLY x -> toString(x) FROM t;
SELECT * APPLY x -> toString(x), 7 FROM t;
SELECT * APPLY (x -> toString(x)) FROM t;
SELECT * APPLY toString APPLY length FROM t;
SELECT * EXCEPT d APPLY x -> concat(toString(x), 'x') APPLY length FROM t;
SELECT * APPLY quantile(0.5) FROM (SELECT id FROM t);
SELECT id FROM t EXCEPT SELECT 2;
-- error: EMPTY_LIST_OF_COLUMNS_QUERIED
SELECT COLUMNS('i') EXCEPT 'i' FROM t;
DROP TABLE t;
