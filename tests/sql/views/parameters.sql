-- Views with parameters.
CREATE TABLE t (id UInt32, g String, d Date, v Nullable(Float64), tp Tuple(a UInt8, b String)) ENGINE = MergeTree ORDER BY id;
INSERT INTO t SELECT number, ['a','b','c'][number % 3 + 1], toDate('2024-01-01') + number, if(number % 5 = 0, NULL, number / 7), (number, toString(number)) FROM numbers(30);
CREATE VIEW pv AS SELECT id FROM t WHERE id = {k:UInt32};
SELECT * FROM pv(k = 3);
SELECT id + 1 FROM pv(k = 2 + 2) AS p WHERE p.id > 0;
-- error: EMPTY_LIST_OF_COLUMNS_QUERIED
SELECT * FROM pv;
-- error: UNKNOWN_QUERY_PARAMETER
SELECT * FROM pv(z = 3);
CREATE VIEW ps AS SELECT id, g FROM t WHERE g = {name:String} AND id < {most:UInt8};
SELECT * FROM ps(name = 'b', most = 9) ORDER BY id;
SELECT count() FROM ps(name = 'it''s \\ b', most = 9);
SELECT p.id, q.id FROM pv(k = 1) AS p CROSS JOIN pv(k = 2) AS q;
SET param_k = 7;
CREATE VIEW pk AS SELECT id FROM t WHERE id = {k:UInt32};
SELECT * FROM pk(k = 5);
DROP VIEW pv;
-- error: UNKNOWN_FUNCTION
SELECT * FROM pv(k = 3);
