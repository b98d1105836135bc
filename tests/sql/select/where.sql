SELECT number FROM numbers(10) WHERE number > 3 AND number < 7 ORDER BY number;
SELECT number FROM numbers(10) WHERE number IN (1, 3, 5, 99) ORDER BY number;
SELECT number FROM numbers(10) WHERE number NOT IN (1, 3, 5) ORDER BY number;
SELECT number FROM numbers(10) WHERE number BETWEEN 3 AND 5 ORDER BY number;
SELECT number FROM numbers(10) WHERE number NOT BETWEEN 3 AND 8 ORDER BY number;
SELECT number FROM numbers(10) WHERE number % 2 ORDER BY number;
SELECT number FROM numbers(10) WHERE NOT number % 3 ORDER BY number;
SELECT number FROM numbers(20) WHERE toString(number) LIKE '1%' ORDER BY number;
SELECT count() FROM numbers(10) WHERE NULL;
SELECT count() FROM numbers(10) WHERE 1;
SELECT count() FROM numbers(10) WHERE 0;
SELECT number FROM numbers(10) WHERE number = 1 OR number = 8 ORDER BY number;
SELECT number FROM numbers(10) WHERE (number, number + 1) IN ((1, 2), (3, 5)) ORDER BY number;
SELECT number FROM numbers(5) WHERE nullIf(number, 2) IS NULL;
SELECT number FROM numbers(5) WHERE nullIf(number, 2) IS NOT NULL ORDER BY number;
SELECT count() FROM numbers(10) WHERE nullIf(number, 2) != 3;
-- error: ILLEGAL_TYPE_OF_COLUMN_FOR_FILTER
SELECT 1 FROM numbers(3) WHERE 'text';
SELECT number FROM numbers(10) WHERE xor(number > 3, number < 7) ORDER BY number;
