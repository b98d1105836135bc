SELECT 1 OR 0 OR 0 OR 1 AS a, 1 AND 1 AND 0 AS b, 'a' || 'b' || 'c' || 'd' AS c, (1 AND 1) AND 1;
SELECT number FROM numbers(100) WHERE number = 1 OR number = 3 OR number = 5 OR number = 7 OR number = 9 OR number = 11 OR number = 13 OR number = 15 OR number = 17 OR number = 19 OR number = 21 OR number = 23 OR number = 25 OR number = 27 OR number = 29 OR number = 31 OR number = 33 OR number = 35 OR number > 97 ORDER BY number;
SELECT number FROM numbers(25) WHERE number != 1 AND number != 3 AND number != 5 AND number != 7 AND number != 9 AND number != 11 AND number != 13 AND number != 15 AND number != 17 AND number != 19 AND number != 2 AND number != 4 AND number != 6 AND number != 8 AND number != 10 AND number != 12 AND number != 14 AND number != 16 ORDER BY number;
SELECT a FROM (SELECT 1 AS a UNION ALL SELECT 2 UNION ALL SELECT 300 UNION ALL SELECT NULL UNION ALL SELECT -1) ORDER BY a;
SELECT toTypeName(a) FROM (SELECT 1 AS a UNION ALL SELECT 300 UNION ALL SELECT NULL UNION ALL SELECT -1) LIMIT 1;
SELECT 1 UNION ALL SELECT 1 UNION DISTINCT SELECT 1 UNION ALL SELECT 1;
SELECT a FROM (SELECT 3 AS a UNION ALL SELECT 1 AS a UNION ALL SELECT 2 AS a ORDER BY a LIMIT 1) ORDER BY a;
-- error: UNION_ALL_RESULT_STRUCTURES_MISMATCH
SELECT 1 UNION ALL SELECT 1 UNION ALL SELECT 1, 2;
-- error: TOO_DEEP_AST
SELECT 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 SETTINGS max_ast_depth = 20;
SELECT 1 OR 1 OR 1 OR 1 OR 1 OR 1 OR 1 OR 1 OR 1 OR 1 OR 1 OR 1 OR 1 OR 1 OR 1 OR 1 SETTINGS max_ast_depth = 20;
-- error: TOO_BIG_AST
SELECT 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20 SETTINGS max_ast_elements = 20;
SELECT 3 IN (1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20) SETTINGS max_ast_elements = 20;
-- error: BAD_ARGUMENTS
WITH number AS a, a + a AS b, b + b AS c, c + c AS d, d + d AS e, e + e AS f SELECT f FROM numbers(1) SETTINGS max_expanded_ast_elements = 50;
WITH number + 1 AS a, a + a AS b, b + b AS c, c + c AS d, d + d AS e, e + e AS f SELECT f FROM numbers(1);
