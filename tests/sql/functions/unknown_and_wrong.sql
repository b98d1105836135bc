-- error: UNKNOWN_FUNCTION
SELECT noSuchFunction(1);
-- error: NUMBER_OF_ARGUMENTS_DOESNT_MATCH
SELECT length();
-- error: NUMBER_OF_ARGUMENTS_DOESNT_MATCH
SELECT length('a', 'b');
-- error: ILLEGAL_TYPE_OF_ARGUMENT
SELECT length(1);
-- error: ILLEGAL_TYPE_OF_ARGUMENT
SELECT 'a' + 1;
-- error: ILLEGAL_TYPE_OF_ARGUMENT
SELECT upper(5);
-- error: ILLEGAL_TYPE_OF_ARGUMENT
SELECT toYear('abc' || 'd');
-- error: TYPE_MISMATCH
SELECT 'a' = 1;
-- error: ILLEGAL_TYPE_OF_ARGUMENT
SELECT sum('a');
-- error: NUMBER_OF_ARGUMENTS_DOESNT_MATCH
SELECT sum(1, 2);
-- error: ILLEGAL_TYPE_OF_ARGUMENT
-- gap: Function with name 'arrayMap' does not exist. Maybe you meant: ['arrayMax']. (UNKNOWN_FUNCTION)
SELECT arrayMap(1, [1]);
SELECT LENGTH('abc'), Length('abc'), COUNT(*), Sum(1), MAX(2);
-- error: UNKNOWN_FUNCTION
SELECT ToString(1);
-- error: UNKNOWN_FUNCTION
-- gap: A lambda stands only as the first argument of a higher-order function. (BAD_ARGUMENTS)
SELECT ARRAYMAP(x -> x, [1]);
