SELECT if(1, 2, 3), if(0, 2, 3), ifNull(NULL, 1), nullIf(1, 1), coalesce(NULL, NULL, 'x'), multiIf(0, 1, 0, 2, 3);
SELECT and(1, 1, 0), or(0, 0, 1), not(1), xor(1, 1), 1 AND 2, 0 OR 5, NOT 0, toTypeName(1 AND 1);
SELECT 1 = 1, 1 != 2, 1 <> 1, 1 < 2, 2 <= 2, 3 > 4, 3 >= 4, equals(1, 1), notEquals(1, 1), less(1, 2), greaterOrEquals(1, 2);
SELECT 1 == 1, 'a' = 'a', toTypeName(1 = 1), 1 = 1.0, -1 < 1, toInt64(-1) < toUInt64(1);
SELECT toUInt8(255) > toInt8(-1);
SELECT transform(number, [0, 1], ['zero', 'one'], 'other') FROM numbers(3);
SELECT transform(5, [1, 5], [10, 50]), transform('a', ['a', 'b'], ['x', 'y'], '');
SELECT caseWithExpression(2, 1, 'a', 2, 'b', 'c'), CASE WHEN 1 THEN 'x' END;
SELECT ignore(1, 2), identity(5), materialize(7), toTypeName(materialize(7)), isConstant(1), isConstant(materialize(1));
SELECT throwIf(0, 'no'), throwIf(number > 5) FROM numbers(2);
-- error: FUNCTION_THROW_IF_VALUE_IS_NON_ZERO
SELECT throwIf(number = 1, 'one was met') FROM numbers(3);
SELECT in(1, (1, 2)), 1 IN (1), 1 IN [1, 2], 'a' IN ('a'), NOT 1 IN (2), 3 NOT IN (1, 2), tuple(1, 2) IN ((1, 2));
SELECT 1 IN (NULL), NULL IN (1), 1 NOT IN (2, NULL);
