-- error: NOT_AN_AGGREGATE
SELECT number, sum(number) FROM numbers(3);
-- error: NOT_AN_AGGREGATE
SELECT number % 2 AS k, number FROM numbers(3) GROUP BY k;
-- error: ILLEGAL_AGGREGATION
SELECT count() FROM numbers(3) WHERE count() > 1;
-- error: ILLEGAL_AGGREGATION
SELECT sum(sum(number)) FROM numbers(3);
-- error: NOT_AN_AGGREGATE
SELECT sum(number) AS s FROM numbers(3) GROUP BY number % 2 ORDER BY number;
-- error: NUMBER_OF_ARGUMENTS_DOESNT_MATCH
SELECT avg() FROM numbers(3);
-- error: ILLEGAL_TYPE_OF_ARGUMENT
SELECT avg('text') FROM numbers(3);
-- error: UNKNOWN_FUNCTION
SELECT summ(number) FROM numbers(3);
-- error: UNKNOWN_IDENTIFIER
SELECT count() FROM numbers(3) GROUP BY nope;
