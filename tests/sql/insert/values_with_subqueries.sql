CREATE TABLE t (a UInt8, b String, c Nullable(Date)) ENGINE = Memory;
INSERT INTO t VALUES ((SELECT 1), 'x', NULL), ((SELECT max(number) FROM numbers(5)) + 1, (SELECT 'it''s'), (SELECT toDate('2024-02-29')));
INSERT INTO t SELECT (SELECT 7), 'y', (SELECT NULL);
SELECT * FROM t ORDER BY a;
-- error: INCORRECT_RESULT_OF_SCALAR_SUBQUERY
INSERT INTO t VALUES ((SELECT number FROM numbers(2)), '', NULL);
SELECT count() FROM t
