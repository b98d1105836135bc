-- error: UNKNOWN_FUNCTION
SELECT uniq(number), uniqTheto(number) FROM numbers(10);
-- error: UNKNOWN_FUNCTION
SELECT count(), nosuch(number) FROM numbers(10);
-- error: UNKNOWN_IDENTIFIER
SELECT number, nosuch(no_column) FROM numbers(10);
-- error: UNKNOWN_FUNCTION
SELECT sum(nosuch(number)) FROM numbers(10);
