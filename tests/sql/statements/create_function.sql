CREATE FUNCTION lin AS (x, k, b) -> k * x + b;
SELECT lin(3, 2, 1), lin(1, 1, 1) * 2 FORMAT TSVWithNames;
SELECT number, lin(number, 2, 1) AS v FROM numbers(5) WHERE lin(number, 2, 1) > 3 ORDER BY lin(number, -1, 0);
-- error: FUNCTION_ALREADY_EXISTS
CREATE FUNCTION lin AS x -> x;
CREATE FUNCTION IF NOT EXISTS lin AS x -> x;
SELECT lin(1, 1, 0);
CREATE OR REPLACE FUNCTION lin AS (x, k, b) -> k * x - b;
SELECT lin(1, 1, 1);
CREATE FUNCTION mean_of AS x -> sum(x) / count();
SELECT number % 2 AS k, mean_of(number), mean_of(number) + 1 FROM numbers(10) GROUP BY k HAVING mean_of(number) > 4 ORDER BY k FORMAT TSVWithNames;
CREATE FUNCTION twice AS x -> lin(x, 2, 0);
SELECT twice(4), twice(twice(1)), twice(lin(1, 2, 3));
CREATE FUNCTION answer AS () -> 42;
SELECT answer();
CREATE FUNCTION more AS arr -> arrayMap(x -> x + 1, arr);
SELECT more([1, 2]), arrayMap(y -> twice(y), [1, 2]);
CREATE FUNCTION outer_name AS x -> x + number;
SELECT outer_name(10) FROM numbers(2);
-- error: UNKNOWN_IDENTIFIER
SELECT outer_name(10);
CREATE FUNCTION first_of AS t -> t.1 || toString(t.2);
SELECT first_of(('a', 5));
CREATE FUNCTION looked_up AS x -> (SELECT max(number) + x FROM numbers(3));
SELECT looked_up(1);
-- error: BAD_ARGUMENTS
SELECT lin(1);
-- error: BAD_ARGUMENTS
SELECT lin(1, 2, 3, 4);
-- error: FUNCTION_ALREADY_EXISTS
CREATE FUNCTION plus AS x -> x;
-- error: FUNCTION_ALREADY_EXISTS
CREATE FUNCTION sum AS x -> x;
-- error: BAD_ARGUMENTS
CREATE FUNCTION no_lambda AS 5;
-- error: BAD_ARGUMENTS
CREATE FUNCTION same_twice AS (x, x) -> x;
CREATE TABLE t (a Int64, b Int64 DEFAULT lin(a, 2, 1), c Int64 MATERIALIZED twice(a), INDEX i lin(a, 1, 0) TYPE minmax) ENGINE = MergeTree ORDER BY lin(a, 1, 1);
SHOW CREATE TABLE t FORMAT TSVRaw;
INSERT INTO t (a) VALUES (3), (4);
SELECT a, b, c FROM t ORDER BY a;
CREATE VIEW v AS SELECT lin(a, 1, 1) AS x FROM t;
SELECT * FROM v ORDER BY x;
ALTER TABLE t UPDATE b = lin(a, 10, 0) WHERE twice(a) = 6 SETTINGS mutations_sync = 1;
SELECT a, b FROM t ORDER BY a;
SELECT name, is_aggregate, case_insensitive, alias_to, origin FROM system.functions WHERE origin = 'SQLUserDefined' ORDER BY name;
DROP FUNCTION lin;
-- error: UNKNOWN_FUNCTION
SELECT lin(1, 2, 3);
-- error: UNKNOWN_FUNCTION
DROP FUNCTION lin;
DROP FUNCTION IF EXISTS lin;
INSERT INTO t (a) VALUES (5);
SELECT a, b, c FROM t ORDER BY a;
SELECT count() FROM system.functions WHERE name = 'lin';
