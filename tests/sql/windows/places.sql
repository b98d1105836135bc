SELECT number, lag(number) OVER (ORDER BY number), lead(number, 2, 77) OVER (ORDER BY number), lagInFrame(number) OVER (ORDER BY number), leadInFrame(number) OVER (ORDER BY number) FROM numbers(4) ORDER BY number;
SELECT number, leadInFrame(number) OVER (ORDER BY number ROWS BETWEEN UNBOUNDED PRECEDING AND UNBOUNDED FOLLOWING), leadInFrame(number, 1, 99) OVER () FROM numbers(4) ORDER BY number;
SELECT number, lagInFrame(number, 2, 99) OVER (ORDER BY number ROWS BETWEEN 1 PRECEDING AND CURRENT ROW), lagInFrame(number, 1, 99) OVER (ORDER BY number ROWS BETWEEN 2 PRECEDING AND 1 PRECEDING) FROM numbers(5) ORDER BY number;
SELECT number, leadInFrame(number, 1, 99) OVER (ORDER BY number ROWS BETWEEN 1 FOLLOWING AND 2 FOLLOWING), leadInFrame(number, 2, 99) OVER (ORDER BY number ROWS BETWEEN CURRENT ROW AND 1 FOLLOWING) FROM numbers(5) ORDER BY number;
SELECT number, lagInFrame(number, number % 3) OVER (ORDER BY number), lag(number, number % 3, 100 + number) OVER (ORDER BY number), lead(number, number, number) OVER (ORDER BY number) FROM numbers(4) ORDER BY number;
SELECT number, lag(toString(number), 1, 'none') OVER (PARTITION BY number % 2 ORDER BY number), lead(number, 0) OVER (ORDER BY number) FROM numbers(5) ORDER BY number;
SELECT number, lagInFrame(toNullable(number)) OVER (ORDER BY number), lag(toNullable(number), 1, 9) OVER (ORDER BY number), toTypeName(lag(toNullable(number)) OVER (ORDER BY number)) FROM numbers(3) ORDER BY number;
SELECT number, LAG(number) OVER (ORDER BY number), Lead(number) OVER (ORDER BY number), DENSE_RANK() OVER (ORDER BY number % 2), Percent_Rank() OVER (ORDER BY number) FROM numbers(3) ORDER BY number;
SELECT number, denseRank() OVER (ORDER BY number % 2), percentRank() OVER (ORDER BY number) FROM numbers(3) ORDER BY number;
SELECT number, nth_value(number, 2) OVER (ORDER BY number), nth_value(number, number % 3 + 1) OVER (ORDER BY number ROWS BETWEEN UNBOUNDED PRECEDING AND UNBOUNDED FOLLOWING), nth_value(toString(number), 3) OVER (ORDER BY number ROWS BETWEEN 1 PRECEDING AND 1 FOLLOWING) FROM numbers(4) ORDER BY number;
SELECT number, nth_value(toNullable(number), 2) OVER (ORDER BY number), toTypeName(nth_value(toNullable(number), 2) OVER (ORDER BY number)) FROM numbers(3) ORDER BY number;
-- error: BAD_ARGUMENTS
SELECT lag(number, 1) OVER (ORDER BY number ROWS BETWEEN 1 PRECEDING AND CURRENT ROW) FROM numbers(4);
-- error: BAD_ARGUMENTS
SELECT lead(number) OVER (ORDER BY number ROWS BETWEEN UNBOUNDED PRECEDING AND UNBOUNDED FOLLOWING) FROM numbers(4);
-- error: BAD_ARGUMENTS
SELECT lag(number, -1) OVER (ORDER BY number) FROM numbers(4);
-- error: BAD_ARGUMENTS
SELECT lagInFrame(number, -1) OVER (ORDER BY number) FROM numbers(4);
-- error: BAD_ARGUMENTS
SELECT lagInFrame(number, 1, 'a') OVER (ORDER BY number) FROM numbers(4);
-- error: BAD_ARGUMENTS
SELECT lagInFrame(number, 1, NULL) OVER (ORDER BY number) FROM numbers(4);
-- error: BAD_ARGUMENTS
SELECT lag(toUInt8(number), 1, 1000) OVER (ORDER BY number) FROM numbers(4);
-- error: BAD_ARGUMENTS
SELECT lag(number, 1.5) OVER (ORDER BY number) FROM numbers(4);
-- error: TOO_FEW_ARGUMENTS_FOR_FUNCTION
SELECT lagInFrame() OVER (ORDER BY number) FROM numbers(4);
-- error: TOO_MANY_ARGUMENTS_FOR_FUNCTION
SELECT lagInFrame(1, 2, 3, 4) OVER (ORDER BY number) FROM numbers(4);
-- error: BAD_ARGUMENTS
SELECT nth_value(number, 0) OVER (ORDER BY number) FROM numbers(4);
-- error: NUMBER_OF_ARGUMENTS_DOESNT_MATCH
SELECT nth_value(number) OVER (ORDER BY number) FROM numbers(4);
SELECT number, ntile(3) OVER (ORDER BY number), ntile(3) OVER (ORDER BY number ROWS BETWEEN UNBOUNDED PRECEDING AND UNBOUNDED FOLLOWING), ntile(20) OVER (ORDER BY number) FROM numbers(7) ORDER BY number;
-- error: BAD_ARGUMENTS
SELECT ntile(3) OVER (ORDER BY number ROWS BETWEEN UNBOUNDED PRECEDING AND CURRENT ROW) FROM numbers(7);
-- error: BAD_ARGUMENTS
SELECT ntile(3) OVER () FROM numbers(7);
-- error: BAD_ARGUMENTS
SELECT ntile(0) OVER (ORDER BY number) FROM numbers(7);
-- error: BAD_ARGUMENTS
SELECT ntile(-1) OVER (ORDER BY number) FROM numbers(7);
-- error: BAD_ARGUMENTS
SELECT ntile(number + 1) OVER (ORDER BY number) FROM numbers(7);
-- error: NUMBER_OF_ARGUMENTS_DOESNT_MATCH
SELECT ntile(2, 3) OVER (ORDER BY number) FROM numbers(7);
SELECT number, percent_rank() OVER (ORDER BY number RANGE BETWEEN UNBOUNDED PRECEDING AND UNBOUNDED FOLLOWING), cume_dist() OVER (ORDER BY number % 2), percent_rank() OVER (), cume_dist() OVER () FROM numbers(4) ORDER BY number;
-- error: BAD_ARGUMENTS
SELECT percent_rank() OVER (ORDER BY number ROWS BETWEEN UNBOUNDED PRECEDING AND UNBOUNDED FOLLOWING) FROM numbers(4);
-- error: BAD_ARGUMENTS
SELECT cume_dist() OVER (ORDER BY number ROWS BETWEEN UNBOUNDED PRECEDING AND CURRENT ROW) FROM numbers(4);
SELECT number, row_number(1) OVER (ORDER BY number), rank() OVER (ORDER BY number ROWS BETWEEN 1 PRECEDING AND CURRENT ROW) FROM numbers(3) ORDER BY number;
-- error: NUMBER_OF_ARGUMENTS_DOESNT_MATCH
SELECT rank(1) OVER (ORDER BY number) FROM numbers(4);
-- error: BAD_ARGUMENTS
SELECT row_number() FROM numbers(3);
-- error: BAD_ARGUMENTS
SELECT lag(number) FROM numbers(3);
SELECT name, is_aggregate, case_insensitive, alias_to FROM system.functions WHERE name IN ('row_number', 'rank', 'lag', 'dense_rank', 'lagInFrame', 'percent_rank', 'nth_value', 'denseRank', 'percentRank', 'cume_dist', 'nonNegativeDerivative', 'exponentialTimeDecayedAvg') ORDER BY name;
