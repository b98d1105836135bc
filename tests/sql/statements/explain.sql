-- Options of EXPLAIN, and EXPLAIN as a query. What it shows of plans is each system's own.
SELECT count() > 0 FROM (EXPLAIN SELECT 1);
SELECT explain FROM (EXPLAIN AST SELECT 1) WHERE (explain LIKE '%Literal%') ORDER BY explain;
SELECT count() AS n FROM (EXPLAIN SYNTAX oneline = 1 SELECT 'a''b', 2) AS e WHERE e.explain LIKE 'SELECT%';
SELECT (SELECT count() FROM (EXPLAIN SYNTAX oneline = 1 SELECT 1));
EXPLAIN SYNTAX oneline = 1 SELECT 1, 2 FROM numbers(3);
EXPLAIN AST SELECT 1 + 1;
EXPLAIN CURRENT TRANSACTION;
SELECT upper(explain) FROM (EXPLAIN CURRENT TRANSACTION);
-- error: NOT_IMPLEMENTED
EXPLAIN WHATIF SELECT 1;
SELECT JSONExtractKeys(replaceRegexpAll(explain, '^\\[|\\]$', '')) FROM (EXPLAIN json = 1 SELECT 1);
SELECT JSONExtractString(explain, 1, 'Plan', 'Node Type') != '', JSONHas(explain, 1, 'Plan', 'Node Id') FROM (EXPLAIN json = 1, description = 0 SELECT sum(number) FROM numbers(10));
-- error: UNKNOWN_SETTING
EXPLAIN graph = 1 SELECT 1;
-- error: INVALID_SETTING_VALUE
EXPLAIN PLAN json = 2 SELECT 1;
-- error: INVALID_SETTING_VALUE
EXPLAIN PLAN json = 'yes' SELECT 1;
-- error: UNKNOWN_SETTING
EXPLAIN AST json = 1 SELECT 1;
-- error: UNKNOWN_SETTING
EXPLAIN SYNTAX header = 1 SELECT 1;
-- error: UNKNOWN_SETTING
EXPLAIN QUERY TREE indexes = 1 SELECT 1;
-- error: BAD_ARGUMENTS
EXPLAIN QUERY TREE dump_tree = 0 SELECT 1;
-- error: UNKNOWN_SETTING
EXPLAIN PIPELINE indexes = 1 SELECT 1;
-- error: UNKNOWN_SETTING
EXPLAIN ESTIMATE graph = 1 SELECT 1;
SELECT count() > 0 FROM (EXPLAIN PIPELINE header = 1 SELECT 1);
SELECT arrayStringConcat(groupArray(explain), ' ') LIKE 'digraph%->%}' FROM (EXPLAIN PIPELINE graph = 1 SELECT number FROM numbers(3) ORDER BY number);
SELECT arrayStringConcat(groupArray(explain), ' ') LIKE 'digraph%->%}%' FROM (EXPLAIN PIPELINE graph = 1, compact = 0 SELECT number FROM numbers(3) ORDER BY number);
SELECT arrayStringConcat(groupArray(explain), ' ') LIKE 'digraph%->%}%' FROM (EXPLAIN AST graph = 1 SELECT 1);
CREATE TABLE t (a UInt64, b UInt64) ENGINE = MergeTree ORDER BY a SETTINGS index_granularity = 10;
INSERT INTO t SELECT number, number FROM numbers(1000);
SELECT count() FROM (EXPLAIN indexes = 1 SELECT * FROM t WHERE a = 5) WHERE explain LIKE '%Granules: 1/100%';
SELECT countIf(explain LIKE '%a UInt64%') > 0 FROM (EXPLAIN header = 1 SELECT a FROM t);
SELECT rows FROM (EXPLAIN ESTIMATE SELECT * FROM t WHERE a = 5);
SELECT explain AS explain FROM (SELECT 1 AS explain) WHERE (explain = 1);
