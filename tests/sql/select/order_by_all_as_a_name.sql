-- settings: enable_order_by_all=0
SELECT 3 - number AS all, number FROM numbers(3) ORDER BY ALL;
SELECT 3 - number AS all, number FROM numbers(3) ORDER BY all DESC NULLS FIRST;
-- error: UNKNOWN_IDENTIFIER
SELECT number FROM numbers(3) ORDER BY ALL;
SELECT number FROM numbers(3) ORDER BY ALL DESC SETTINGS enable_order_by_all = 1;
