SELECT 1 AND 1, 1 AND 0, 0 OR 1, 0 OR 0, NOT 1, NOT 0, xor(1, 1), xor(1, 0);
SELECT toTypeName(NOT 1);
-- gap: gives another result
SELECT true AND false;
-- gap: gives another result
SELECT true OR false;
-- gap: gives another result
SELECT NOT true;
-- gap: gives another result
SELECT toTypeName(true AND true);
SELECT 1 AND NULL, 0 AND NULL, 1 OR NULL, 0 OR NULL, NOT NULL, xor(1, NULL);
SELECT 2 AND 3, 5 OR 0, NOT 7, 0.5 AND 1;
SELECT number > 1 AND number < 4, number < 1 OR number > 3 FROM numbers(5);
SELECT 1 OR 0 AND 0, (1 OR 0) AND 0, NOT 0 AND 0;
SELECT count() FROM numbers(10) WHERE (number > 3 AND number < 8) OR number = 0;
SELECT and(1, 1, 1), or(0, 0, 0), not(0);
SELECT toTypeName(true AND 1), toTypeName((1 = 1) AND true), toTypeName(NOT toNullable(true)), toTypeName(xor(true, 1)), toTypeName(1 = 1 AND 2 = 2);
SELECT materialize(true) AND number = 0, number > 0 OR materialize(false) FROM numbers(2) ORDER BY number;
SELECT count() FROM numbers(10) WHERE materialize(true) AND NOT materialize(false);
