SELECT * FROM (SELECT getSetting('max_threads') SETTINGS max_threads = 16);
SELECT x, y FROM (SELECT NULL IN (NULL) AS x SETTINGS transform_null_in = 1) AS a, (SELECT NULL IN (NULL) AS y) AS b;
SELECT x, y FROM (SELECT sum(number) AS x FROM numbers(0) SETTINGS aggregate_functions_null_for_empty = 1) AS a, (SELECT sum(number) AS y FROM numbers(0)) AS b;
-- gap: the outer union_default_mode does not win
SELECT * FROM (SELECT 1 AS a UNION SELECT 1 SETTINGS union_default_mode = 'ALL') SETTINGS union_default_mode = 'DISTINCT';
SELECT (SELECT getSetting('max_block_size') SETTINGS max_block_size = 77), getSetting('max_block_size') SETTINGS max_block_size = 78;
SELECT 16 IN (SELECT getSetting('max_threads') SETTINGS max_threads = 16);
-- gap: limits of one subquery are refused, not kept
-- error: TOO_MANY_ROWS
SELECT * FROM (SELECT count() FROM numbers(10) SETTINGS max_rows_to_read = 1);
