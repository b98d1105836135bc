-- What a constant condition does not choose needs no meaning; the chosen branch does.
SELECT if(1, 1, upper(5)), multiIf(0, upper(5), 1, 2, 3), if(1 = 1, 'a', nosuch(5)), if(1, number, no_such_column) FROM numbers(2);
SELECT CASE WHEN 0 THEN nosuch(5) ELSE 'b' END, if(NULL, upper(5), 7), toTypeName(if(true, 1, upper(5)));
-- error: ILLEGAL_TYPE_OF_ARGUMENT
SELECT if(0, 1, upper(5));
-- error: UNKNOWN_IDENTIFIER
SELECT if(number = 0, 1, no_such_column) FROM numbers(2);
-- By a subquery as well, and by what the server says.
SELECT (SELECT 0) ? no_such_column : 42 AS no_such_column;
SELECT (SELECT hasColumnInTable('system', 'one', 'no_such_column')) ? no_such_column : 42 AS x FROM numbers(2);
