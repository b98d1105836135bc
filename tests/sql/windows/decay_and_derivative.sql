SELECT number, nonNegativeDerivative(number * number, toDateTime(number * 2)) OVER (ORDER BY number), nonNegativeDerivative(number * number, toDateTime(number * 2), INTERVAL 3 SECOND) OVER (ORDER BY number) FROM numbers(4) ORDER BY number;
SELECT number, nonNegativeDerivative(number * number, toDateTime64(number * 2.5, 3), INTERVAL 3 SECOND) OVER (ORDER BY number), nonNegativeDerivative(-number, toDateTime(number)) OVER (ORDER BY number), nonNegativeDerivative(number, toDateTime(10 - number)) OVER (ORDER BY number) FROM numbers(4) ORDER BY number;
SELECT number, nonNegativeDerivative(number * number, toDateTime64(number * 2.5, 3), INTERVAL 300 MICROSECOND) OVER (ORDER BY number) FROM numbers(4) ORDER BY number;
SELECT number % 2 AS k, number, nonNegativeDerivative(number * number, toDateTime(number * 2), INTERVAL 1 MINUTE) OVER (PARTITION BY number % 2 ORDER BY number) FROM numbers(6) ORDER BY k, number;
SELECT number, nonNegativeDerivative(number * number, toDateTime(number * 2)) OVER (ORDER BY number ROWS BETWEEN 1 FOLLOWING AND 2 FOLLOWING), toTypeName(nonNegativeDerivative(number, toDateTime(number)) OVER (ORDER BY number)) FROM numbers(4) ORDER BY number;
-- error: ILLEGAL_TYPE_OF_ARGUMENT
SELECT nonNegativeDerivative(number, toDateTime(number), INTERVAL 3 MONTH) OVER (ORDER BY number) FROM numbers(4);
-- error: BAD_ARGUMENTS
SELECT nonNegativeDerivative(number, number) OVER (ORDER BY number) FROM numbers(4);
-- error: BAD_ARGUMENTS
SELECT nonNegativeDerivative('a', toDateTime(number)) OVER (ORDER BY number) FROM numbers(4);
-- error: BAD_ARGUMENTS
SELECT nonNegativeDerivative(number, toDateTime(number), 5) OVER (ORDER BY number) FROM numbers(4);
-- error: NUMBER_OF_ARGUMENTS_DOESNT_MATCH
SELECT nonNegativeDerivative(number) OVER (ORDER BY number) FROM numbers(4);
-- error: BAD_ARGUMENTS
SELECT nonNegativeDerivative(number, toDateTime(number)) FROM numbers(4);
SELECT number, exponentialTimeDecayedSum(10)(number, number) OVER (ORDER BY number), exponentialTimeDecayedMax(10)(number, number) OVER (ORDER BY number), exponentialTimeDecayedAvg(10)(number, toDateTime(number * 7)) OVER (ORDER BY number), exponentialTimeDecayedCount(10)(toDateTime64(number * 7, 3)) OVER (ORDER BY number) FROM numbers(6) ORDER BY number;
SELECT number, exponentialTimeDecayedSum(10)(number, number) OVER (ORDER BY number ROWS BETWEEN 2 PRECEDING AND CURRENT ROW), exponentialTimeDecayedSum(10)(number, number) OVER (ORDER BY number ROWS BETWEEN 1 PRECEDING AND 1 FOLLOWING) FROM numbers(6) ORDER BY number;
SELECT number, exponentialTimeDecayedSum(10)(number, number) OVER (ORDER BY number ROWS BETWEEN 3 PRECEDING AND 2 PRECEDING), exponentialTimeDecayedAvg(10)(number, number) OVER (ORDER BY number ROWS BETWEEN 3 PRECEDING AND 2 PRECEDING), exponentialTimeDecayedMax(10)(number, number) OVER (ORDER BY number ROWS BETWEEN 3 PRECEDING AND 2 PRECEDING) FROM numbers(6) ORDER BY number;
SELECT number, exponentialTimeDecayedSum(10)(number, number) OVER (PARTITION BY number % 2 ORDER BY number), exponentialTimeDecayedSum(10)(number, number) OVER (), toTypeName(exponentialTimeDecayedCount(1)(number) OVER ()) FROM numbers(4) ORDER BY number;
-- error: NUMBER_OF_ARGUMENTS_DOESNT_MATCH
SELECT exponentialTimeDecayedSum(number, number) OVER () FROM numbers(4);
-- error: CANNOT_CONVERT_TYPE
SELECT exponentialTimeDecayedSum('a')(number, number) OVER () FROM numbers(4);
-- error: NUMBER_OF_ARGUMENTS_DOESNT_MATCH
SELECT exponentialTimeDecayedSum(1)(number) OVER () FROM numbers(4);
-- error: BAD_ARGUMENTS
SELECT exponentialTimeDecayedSum(1)('a', 1) OVER () FROM numbers(4);
-- error: BAD_ARGUMENTS
SELECT exponentialTimeDecayedSum(1)(number, 'a') OVER () FROM numbers(4);
-- error: NUMBER_OF_ARGUMENTS_DOESNT_MATCH
SELECT exponentialTimeDecayedCount(1)(number, 1) OVER () FROM numbers(4);
-- error: BAD_ARGUMENTS
SELECT exponentialTimeDecayedSum(1)(number, number) FROM numbers(4);
