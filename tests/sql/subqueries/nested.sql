SELECT (SELECT (SELECT (SELECT (SELECT (SELECT (SELECT (SELECT (SELECT (SELECT (SELECT 1))))))))));
SELECT (SELECT max(number) FROM numbers(5) WHERE number < (SELECT max(number) FROM numbers(4) WHERE number IN (SELECT number FROM numbers(3))));
SELECT 1 IN (1 IN (1 IN (1 IN (1 IN (1 IN (1 IN (1 IN (1 IN (1 IN (1 IN (1 IN (1 IN (1 IN (1 IN (1)))))))))))))));
SELECT 2 IN (1 IN (2 IN (1)));
SELECT number FROM numbers(10) WHERE number IN (SELECT number + 1 FROM numbers(10) WHERE number IN (SELECT number + 1 FROM numbers(10) WHERE number IN (SELECT number + 1 FROM numbers(5)))) ORDER BY number;
SELECT EXISTS(SELECT 1 WHERE EXISTS(SELECT 1 WHERE EXISTS(SELECT 1 WHERE 0)));
SELECT count() FROM numbers(10) WHERE number IN (SELECT number FROM numbers(5)) AND number IN (SELECT number FROM numbers(8) WHERE number IN (SELECT number FROM numbers(5)));
SELECT 1 IN ([1, 2]), 1 IN (toUInt8(1)), NULL IN (1), 1 IN (NULL), (1, 2) IN ((1, 2));
