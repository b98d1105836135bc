-- ArgMin and ArgMax: the function over the rows whose last argument is the least or the greatest.
SELECT sumArgMax(number, number % 4), sumArgMin(number, number % 4), countArgMax(number % 4) FROM numbers(10);
SELECT number % 3 AS k, sumArgMax(number, intDiv(number, 10)), groupArrayArgMin(number, intDiv(number, 10)) FROM numbers(40) GROUP BY k ORDER BY k;
SELECT avgArgMin(number, -number), uniqArgMax(number % 5, number > 50), quantileArgMax(0.5)(number, number < 21) FROM numbers(100);
SELECT argMaxArgMin(number, number % 7, number % 3), anyArgMax('x', number), maxArgMaxIf(number, number % 10, number < 55) FROM numbers(100);
SELECT sumArgMax(x, k), toTypeName(sumArgMax(x, k)) FROM (SELECT number AS x, if(number % 3 = 0, NULL, number % 5) AS k FROM numbers(20));
SELECT sumArgMin(if(number % 2, NULL, number), number), countArgMin(if(number % 2, NULL, number), number) FROM numbers(20);
SELECT sumArgMax(1, arrayJoin([1., nan, 3., 3., nan])), sumArgMin(1, arrayJoin([nan, 3., nan, 3.]));
SELECT countArgMax(x, s), countArgMin(x, s) FROM (SELECT number AS x, toString(number % 11) AS s FROM numbers(100));
SELECT countArgMax(x, t), sumArgMin(x, t) FROM (SELECT number AS x, (number % 3, toString(number % 5)) AS t FROM numbers(100));
SELECT countArgMax(x, u), countArgMin(x, u) FROM (SELECT number AS x, toUInt256(number % 3) - 1 AS u FROM numbers(9));
SELECT sumArgMax(number, number) FROM numbers(0);
SELECT sumArgMaxOrNull(number, number), sumOrNullArgMax(number, number) FROM numbers(0);
SELECT sumArgMaxArray([1, 2, 3], [5, 6, 6]), sumForEachArgMax([number, 1], number % 2), sumMapArgMin(map('a', number), number % 2) FROM numbers(4);
SELECT finalizeAggregation(sumArgMaxState(number, number % 6)), toTypeName(sumArgMaxState(number, number % 6)) FROM numbers(20);
SELECT sumArgMaxMerge(s) FROM (SELECT sumArgMaxState(number, number % 6) AS s FROM numbers(20) GROUP BY number % 2);
SELECT number, sumArgMax(number, number % 3) OVER (ORDER BY number) FROM numbers(6) ORDER BY number;
-- error: NUMBER_OF_ARGUMENTS_DOESNT_MATCH
SELECT sumArgMax(number) FROM numbers(3);
CREATE TABLE changes (id UInt32, v UInt32, t UInt32) ENGINE = MergeTree ORDER BY id;
INSERT INTO changes SELECT number % 1000, number, number % 7919 FROM numbers(300000);
SELECT count(), sum(s), sum(c) FROM (SELECT id, sumArgMax(v, t) AS s, countArgMin(v, t) AS c FROM changes GROUP BY id);
-- Each batch is better than the one before.
SELECT sumArgMax(number, intDiv(number, 3)) FROM numbers(2000000);
