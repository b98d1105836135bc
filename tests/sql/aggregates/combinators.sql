SELECT sumIf(number, number % 2), countIf(number > 5), avgIf(number, number < 3), maxIf(number, number < 5), anyIf(number, number = 3) FROM numbers(10);
SELECT uniqIf(number, number < 4), groupArrayIf(number, number < 3), quantileIf(0.5)(number, number < 5), argMaxIf(number, number, number < 7) FROM numbers(10);
SELECT countIf(NULL), sumIf(1, NULL), countIf(number % 2 = 0) FROM numbers(4);
SELECT sumArray([1, 2, 3]), maxArray([[1, 5]][1]), uniqArray([1, 1, 2]);
SELECT sumOrNull(number), sumOrDefault(number), avgOrNull(number), maxOrNull(number), countOrNull() FROM numbers(0);
SELECT sumOrNullIf(number, number > 100), sumIfOrNull(number, number > 100) FROM numbers(5);
SELECT sumDistinct(number % 3), countDistinct(number % 3), groupArrayDistinct(1) FROM numbers(10);
SELECT sumForEach([number, 1]) FROM numbers(3);
SELECT sumMerge(s), avgMerge(a), uniqMerge(u) FROM (SELECT sumState(number) AS s, avgState(number) AS a, uniqState(number) AS u FROM numbers(10));
SELECT toTypeName(sumState(toUInt64(1))), toTypeName(uniqState('a'));
SELECT finalizeAggregation(countState());
SELECT sumSimpleState(number), toTypeName(sumSimpleState(number)) FROM numbers(3);
SELECT sumMap(map('a', number)), avgMap(map('a', number)) FROM numbers(3);
SELECT number % 2 AS k, sumIf(number, number > 3) AS s, countIf(number > 3) AS c FROM numbers(8) GROUP BY k ORDER BY k;
SELECT count() FILTER (WHERE number > 5), sum(number) FILTER (WHERE number % 2 = 0) FROM numbers(10);
SELECT sumResample(0, 10, 5)(number, number) FROM numbers(10);
SELECT argMinArray([1, 2], [5, 3]), minOrNull(number), anyOrNull(number) FROM numbers(2);
-- error: ILLEGAL_TYPE_OF_ARGUMENT
SELECT sumIf(number, 'text') FROM numbers(3);
