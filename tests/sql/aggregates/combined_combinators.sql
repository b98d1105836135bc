-- Combinators upon one another, and arithmetic on states.
CREATE TABLE combined (k UInt8, x Int32, n Nullable(Int32), a Array(UInt8), m Map(String, UInt64), s String) ENGINE = Memory;
INSERT INTO combined VALUES (1, 10, NULL, [1, 2], {'a': 1}, 'x'), (1, 20, 5, [2, 3], {'a': 2, 'b': 3}, 'y'), (2, 30, NULL, [], {}, 'z'), (3, 40, 7, [9], {'c': 4}, 'w');
SELECT sumIfOrDefault(x, k = 1), sumIfOrDefault(x, k = 9), quantilesIfOrDefault(0.5, 0.9)(x, k = 1) FROM combined;
SELECT sumIfOrNull(x, k = 9), sumOrNullIf(x, k = 9), avgIfOrNull(x, k = 9), avgIfOrDefault(x, k = 9), avgOrDefaultIf(x, k = 9), countIfOrNull(k = 9), countIfOrDefault(k = 9) FROM combined;
SELECT uniqIfOrNull(s, k = 9), uniqExactIfOrNull(s, k = 9), uniqExactOrNullIf(s, k = 9), countOrNullIf(k = 9), countIfOrNull(x, k = 9), uniqArrayIfOrNull(a, k = 9), countDistinctIfOrNull(x, k = 9) FROM combined;
SELECT quantilesIfOrDefault(0.5, 0.9)(x, k = 9), quantilesOrDefaultIf(0.5, 0.9)(x, k = 9), quantilesOrDefault(0.5)(x), quantileIfOrDefault(0.5)(x, k = 9), quantileIfOrNull(0.5)(x, k = 9) FROM combined;
SELECT quantilesOrDefault(0.5)(x), quantilesIfOrDefault(0.5)(x, k = 9), avgIfOrNull(x, k = 9), countIfOrNull(k = 9), uniqIfOrNull(x, k = 9) FROM combined WHERE 0;
SELECT k, countIfOrNull(x > 25), uniqIfOrNull(x, x > 25), avgIfOrDefault(x, x > 25), avgIfOrNull(x, x > 25), quantilesIfOrDefault(0.5)(x, x > 25), quantilesOrDefaultIf(0.5)(x, x > 25), countOrNullIf(x > 25) FROM combined GROUP BY k ORDER BY k;
SELECT avgIfOrDefault(n, k = 2), avgIfOrDefault(n, k = 1), avgIfOrDefault(x, n > 100), avgIfOrDefault(n, n > 100), sumIfOrDefault(n, k = 2), countIfOrNull(n, k = 2), avgOrDefaultIf(n, k = 2) FROM combined;
SELECT avgIfOrDefault(n, k = 2) FROM combined WHERE k = 2;
SELECT toTypeName(avgIfOrDefault(n, k = 2)), toTypeName(avgIfOrNull(n, k = 2)), toTypeName(countIfOrNull(n, k = 2)), toTypeName(quantilesIfOrDefault(0.5)(n, k = 1)), toTypeName(sumIfOrDefault(n, k = 1)) FROM combined;
SELECT finalizeAggregation(avgIfOrDefaultState(x, k = 9)), finalizeAggregation(avgOrDefaultIfState(x, k = 9)), finalizeAggregation(avgIfOrNullState(x, k = 9)), finalizeAggregation(countIfOrNullState(k = 9)) FROM combined;
SELECT avgIfOrNullMerge(q), countIfOrNullMerge(c) FROM (SELECT avgIfOrNullState(x, k = 9) AS q, countIfOrNullState(k = 9) AS c FROM combined);
SELECT initializeAggregation('countIfOrNull', toUInt8(0)), initializeAggregation('avgIfOrDefault', 1, toUInt8(0)), arrayReduce('avgIfOrNull', [1, 2], [0::UInt8, 0]);
SELECT sumArrayIf(a, k = 1), uniqArrayIf(a, k < 3), sumMapIf(m, k = 1), argMinIfOrNull(s, x, k > 1), argMinIfOrNull(s, x, k > 9) FROM combined;
SELECT sumResample(0, 4, 1)(x, k), sumIfResample(0, 4, 1)(x, x > 10, k), sumResampleIf(0, 4, 1)(x, k, x > 10), sumArrayResample(0, 4, 1)(a, k) FROM combined;
SELECT toTypeName(sumSimpleState(x)), sumSimpleState(x), anyLastSimpleState(s), groupArrayArraySimpleState(a), maxMapSimpleState(m) FROM combined;
-- error: BAD_ARGUMENTS
SELECT avgSimpleState(x) FROM combined;
-- error: BAD_ARGUMENTS
SELECT sumIfSimpleState(x, k = 1) FROM combined;
-- error: BAD_ARGUMENTS
SELECT countSimpleState() FROM combined;
-- error: ILLEGAL_AGGREGATION
SELECT sumIfIf(x, k = 1, x = 10) FROM combined;
-- error: ILLEGAL_AGGREGATION
SELECT sumForEachForEach([[x]]) FROM combined;
-- error: ILLEGAL_AGGREGATION
SELECT sumMapMap(map('a', map('b', x))) FROM combined;
-- error: ILLEGAL_AGGREGATION
SELECT sumResampleResample(0, 2, 1, 0, 2, 1)(x, k, k) FROM combined;
-- error: ILLEGAL_AGGREGATION
SELECT sumStateState(x) FROM combined;
SELECT sumArrayArray([[x]]), sumOrNullOrNull(x), sumOrDefaultOrDefault(x), sumIfOrNullIf(x, 1, 1) FROM combined;
SELECT toTypeName(sumState(x) + sumState(x)), toTypeName(sumState(x) * 10) FROM combined;
SELECT finalizeAggregation(sumState(x) + sumState(x)), finalizeAggregation(sumState(x) * 10), finalizeAggregation(10 * sumState(x)), finalizeAggregation(sumState(x) * 0) FROM combined;
SELECT sumMerge(q + q), countMerge(c * 3), avgMerge(v + v) FROM (SELECT sumState(x) AS q, countState() AS c, avgState(x) AS v FROM combined);
SELECT finalizeAggregation(groupArrayState(x) * 2), finalizeAggregation(groupArrayState(x) + groupArrayState(x)) FROM combined;
SELECT finalizeAggregation(minState(x) * 3), finalizeAggregation(quantileExactState(0.5)(x) * 2), finalizeAggregation(sumMapState(m) * 2), finalizeAggregation(avgState(x) * 0) FROM combined;
SELECT finalizeAggregation(countState() + countState(x)), finalizeAggregation(quantileState(0.5)(x) + quantileState(0.9)(x)), finalizeAggregation(sumState(x) + sumIfState(x, k = 1)) FROM combined;
SELECT finalizeAggregation(sumState(n) + sumState(n)), finalizeAggregation(sumState(n) * 3), finalizeAggregation(countState(n) * 3) FROM combined;
SELECT finalizeAggregation(sumState(number) * 18446744073709551615) FROM numbers(3);
CREATE TABLE combined_states (k UInt8, q AggregateFunction(sum, Int32), u AggregateFunction(uniq, UInt8)) ENGINE = Memory;
INSERT INTO combined_states SELECT k, sumState(x), uniqState(k) FROM combined GROUP BY k;
SELECT k, finalizeAggregation(q + q), finalizeAggregation(q * 3), finalizeAggregation(u + u) FROM combined_states ORDER BY k;
SELECT sumMerge(q * 2), uniqMerge(u * 5) FROM combined_states;
SELECT arrayMap(z -> finalizeAggregation(z + z), groupArray(q)) FROM (SELECT * FROM combined_states ORDER BY k);
SELECT sumMerge(q) FROM (SELECT q * 2 AS q FROM combined_states UNION ALL SELECT q FROM combined_states);
-- error: CANNOT_ADD_DIFFERENT_AGGREGATE_STATES
SELECT q + u FROM combined_states;
-- error: CANNOT_ADD_DIFFERENT_AGGREGATE_STATES
SELECT sumState(x) + sumState(n) FROM combined;
-- error: ILLEGAL_COLUMN
SELECT finalizeAggregation(q * k) FROM combined_states;
-- error: ILLEGAL_TYPE_OF_ARGUMENT
SELECT q * 1.5 FROM combined_states;
-- error: ILLEGAL_TYPE_OF_ARGUMENT
SELECT q - q FROM combined_states;
SELECT argMin((k, s), n), argMax((k, s), n), toTypeName(argMin((k, s), n)) FROM combined WHERE k = 2;
SELECT argMin((k, s), n), argMax((k, s), n) FROM combined WHERE 0;
SELECT k, argMin((k, s), n), argMax(tuple(s), n) FROM combined GROUP BY k ORDER BY k;
SELECT argMin((k, s), n) AS q FROM combined GROUP BY k ORDER BY q FORMAT JSONEachRow;
SELECT argMin((k, s), n).1, isNull(argMin((k, s), n)), coalesce(argMin((k, s), n), (9, 'd')) FROM combined WHERE k = 2;
SELECT argMinIf((k, s), x, n > 300), argMinIf((k, s), n, k > 9), argMinOrNull((k, s), n), argMinOrDefault((k, s), n), anyArgMin((k, s), n) FROM combined WHERE k = 2;
SELECT argMinMerge(q), argMinMerge(q) IS NULL FROM (SELECT argMinState((k, s), n) AS q FROM combined WHERE k = 2);
SELECT sumCount(n), simpleLinearRegression(n, k) FROM combined WHERE k = 2;
SELECT toTypeName(sumCount(n)), toTypeName(simpleLinearRegression(n, k)), toTypeName(argMax(tuple(n), n)), toTypeName(argMin((k, s), NULL)), toTypeName(argMinIf((k, s), n, k > 9)) FROM combined FORMAT TSVRaw;
