-- error: UNKNOWN_IDENTIFIER
CREATE TABLE t (k UInt32, u UInt32, v Int64, s String, PROJECTION p (SELECT x ORDER BY u)) ENGINE = MergeTree ORDER BY k;
-- error: SYNTAX_ERROR
CREATE TABLE t (k UInt32, u UInt32, v Int64, s String, PROJECTION p (SELECT u FROM d.t ORDER BY u)) ENGINE = MergeTree ORDER BY k;
-- error: ILLEGAL_PROJECTION
CREATE TABLE t (k UInt32, u UInt32, v Int64, s String, PROJECTION p (SELECT u ORDER BY u), PROJECTION p (SELECT v ORDER BY v)) ENGINE = MergeTree ORDER BY k;
-- error: BAD_ARGUMENTS
CREATE TABLE t (k UInt32, u UInt32, v Int64, s String, PROJECTION p (SELECT u)) ENGINE = MergeTree ORDER BY k;
-- error: SYNTAX_ERROR
CREATE TABLE t (k UInt32, u UInt32, v Int64, s String, PROJECTION p (SELECT u, v LIMIT 3)) ENGINE = MergeTree ORDER BY k;
-- error: SYNTAX_ERROR
CREATE TABLE t (k UInt32, u UInt32, v Int64, s String, PROJECTION p (SELECT u GROUP BY u HAVING u > 1)) ENGINE = MergeTree ORDER BY k;
-- error: ILLEGAL_PROJECTION
CREATE TABLE t (k UInt32, u UInt32, v Int64, s String, PROJECTION p (SELECT u, sum(v) GROUP BY u ORDER BY u)) ENGINE = MergeTree ORDER BY k;
-- error: NOT_AN_AGGREGATE
CREATE TABLE t (k UInt32, u UInt32, v Int64, s String, PROJECTION p (SELECT u, sum(v))) ENGINE = MergeTree ORDER BY k;
-- error: SYNTAX_ERROR
CREATE TABLE t (k UInt32, u UInt32, v Int64, s String, PROJECTION p (SELECT v ORDER BY v DESC)) ENGINE = MergeTree ORDER BY k;
-- error: BAD_ARGUMENTS
CREATE TABLE t (k UInt32, u UInt32, v Int64, s String, PROJECTION p (SELECT u ORDER BY rand())) ENGINE = MergeTree ORDER BY k;
-- error: ILLEGAL_COLUMN
CREATE TABLE t (k UInt32, u UInt32, v Int64, s String, PROJECTION p (SELECT k ORDER BY tuple())) ENGINE = MergeTree ORDER BY k;
-- error: SUPPORT_IS_DISABLED
CREATE TABLE t (k UInt32, u UInt32, PROJECTION p (SELECT u ORDER BY u)) ENGINE = ReplacingMergeTree ORDER BY k;
-- error: SUPPORT_IS_DISABLED
CREATE TABLE t (k UInt32, u UInt32, PROJECTION p (SELECT u ORDER BY u)) ENGINE = SummingMergeTree ORDER BY k;
-- error: BAD_ARGUMENTS
CREATE TABLE t (k UInt32, u UInt32, PROJECTION p (SELECT u ORDER BY u)) ENGINE = Memory;
CREATE TABLE t (k UInt32, u UInt32, v Int64, s String, PROJECTION `a b` (SELECT u ORDER BY (u, v)), PROJECTION twice (SELECT u, u, v ORDER BY u), PROJECTION expressions (SELECT k, sum(v) + 1 GROUP BY k), PROJECTION no_key (SELECT sum(v) GROUP BY k), PROJECTION of_alias (SELECT sum(v) AS total, k AS kk GROUP BY kk)) ENGINE = MergeTree ORDER BY k;
SELECT name, type, sorting_key, query FROM system.projections WHERE table = 't' ORDER BY name;
INSERT INTO t SELECT number % 3, number, number, 'x' FROM numbers(10);
SELECT k, sum(v) FROM t GROUP BY k ORDER BY k;
SELECT name, rows FROM system.projection_parts WHERE table = 't' AND active ORDER BY name;
