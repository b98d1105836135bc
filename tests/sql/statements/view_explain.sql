-- The table function that an explained statement is in FROM, as drivers and views write it themselves.
SELECT * FROM viewExplain('EXPLAIN SYNTAX', 'oneline = 1', (SELECT 1 AS a, 'it''s' AS b FROM numbers(3)));
SELECT explain FROM viewExplain('EXPLAIN SYNTAX', 'oneline = 1', (WITH 2 AS x SELECT x, number FROM numbers(3))) AS e;
SELECT count() > 0 FROM viewExplain('EXPLAIN', '', (SELECT 1));
SELECT count() > 0 FROM viewExplain('EXPLAIN PIPELINE', '', (SELECT sum(number) FROM numbers(3) UNION ALL SELECT 2));
SELECT count() > 0 FROM viewExplain('EXPLAIN QUERY TREE', '', (SELECT * FROM (SELECT 1 AS a) AS b));
SELECT * FROM viewExplain('EXPLAIN CURRENT TRANSACTION', '');
SELECT (SELECT count() > 0 FROM viewExplain('EXPLAIN AST', '', (SELECT 1)));
-- error: BAD_ARGUMENTS
SELECT * FROM viewExplain('EXPLAIN SYNTAX', '');
-- error: BAD_ARGUMENTS
SELECT * FROM viewExplain('', '', (SELECT 1));
-- error: BAD_ARGUMENTS
SELECT * FROM viewExplain('EXPLAIN FOO', '', (SELECT 1));
-- error: BAD_ARGUMENTS
SELECT * FROM viewExplain('EXPLAIN SYNTAX', '', 1);
-- error: BAD_ARGUMENTS
SELECT * FROM viewExplain(1, '', (SELECT 1));
-- error: UNKNOWN_SETTING
SELECT * FROM viewExplain('EXPLAIN SYNTAX', 'foo = 1', (SELECT 1));
