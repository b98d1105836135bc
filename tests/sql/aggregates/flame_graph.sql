SET allow_introspection_functions = 1;
SELECT flameGraph([1, 2, 3]::Array(UInt64));
SELECT flameGraph(t) FROM values('t Array(UInt64)', ([1,2,3]), ([1,2,3]), ([4,2,3]), ([3]), ([2,3]));
SELECT flameGraph(t) FROM values('t Array(UInt64)', ([1,2]), ([3]), ([1]), ([3,5]), ([3,4]), ([1,2,7]), ([]), ([1,0,3]));
SELECT flameGraph(t, s) FROM values('t Array(UInt64), s Int64', ([1,2,3], 10), ([1,2,3], 5), ([4,2,3], -7), ([3], 0), ([2,3], 1));
SELECT flameGraph(t, s) FROM values('t Array(UInt64), s Int64', ([1,2], 10), ([1,2], -3), ([5], -3), ([5], 10), ([6], 0));
SELECT flameGraph(t, s, p) FROM values('t Array(UInt64), s Int64, p UInt64', ([1,2,3], 10, 100), ([1,2,3], 5, 101), ([4,2,3], -5, 101), ([3], 7, 0), ([2,3], -10, 200), ([2,9], 8, 300), ([2,9], 8, 300), ([2,9], -8, 300), ([5], -9, 400), ([6], 9, 400));
SELECT flameGraph(t, s, p) FROM values('t Array(UInt64), s Int64, p UInt64', ([1,2], 10, 1), ([1,2], -3, 1), ([5], -3, 2), ([5], 10, 2), ([5], 4, 2), ([6], -4, 0), ([6], 5, 0));
SELECT flameGraph(t) FROM values('t Array(String)', (['a','b']), (['c']), (['a']), (['a','b']), ([]), (['x;y','']));
SELECT flameGraph(t, s, p) FROM values('t Array(String), s Int64, p UInt64', (['a'], 10, 1), (['b'], -10, 1), (['c'], 5, 0));
SELECT flameGraph(['a']), flameGraph([]::Array(UInt64)), flameGraph(['a', 'b']::Array(LowCardinality(String)));
SELECT k, flameGraph(t) FROM values('k UInt8, t Array(UInt64)', (1, [1,2]), (2, [3]), (1, [1])) GROUP BY k ORDER BY k;
SELECT arraySort(flameGraph(t)) FROM (SELECT [intDiv(number, 1000), 7]::Array(UInt64) AS t FROM numbers(3000));
SELECT flameGraph(t) FROM values('t Array(UInt64)', ([1,2,3])) WHERE 0;
SELECT flameGraphIf(t, t[1] = 1) FROM values('t Array(UInt64)', ([1,2]), ([3,4]));
SELECT flameGraph(s, n) FROM values('s Array(UInt64), n Nullable(Int64)', ([1], 1), ([2], NULL));
SELECT finalizeAggregation(flameGraphState(t)), toTypeName(flameGraphState(t)) FROM values('t Array(UInt64)', ([1,2]));
SELECT arraySort(flameGraphMerge(st)) FROM (SELECT flameGraphState(t, 2::Int64, p) AS st FROM values('t Array(UInt64), p UInt64', ([1,2], 0), ([3], 5), ([3], 6)) GROUP BY t[1]);
SELECT length(flameGraph(arrayMap(x -> toString(x), range(20000)))[1]);
SELECT toTypeName(flameGraph(t)) FROM values('t Array(UInt64)', ([1,2,3]));
-- error: ILLEGAL_TYPE_OF_ARGUMENT
SELECT flameGraph([1, 2]);
-- error: ILLEGAL_TYPE_OF_ARGUMENT
SELECT flameGraph([1]::Array(UInt64), 1);
-- error: ILLEGAL_TYPE_OF_ARGUMENT
SELECT flameGraph([1]::Array(UInt64), 1::Int64, 5);
-- error: ILLEGAL_TYPE_OF_ARGUMENT
SELECT flameGraph([1]::Array(UInt64), 1.5);
-- error: NUMBER_OF_ARGUMENTS_DOESNT_MATCH
SELECT flameGraph();
-- error: NUMBER_OF_ARGUMENTS_DOESNT_MATCH
SELECT flameGraph([1]::Array(UInt64), 1, 1, 1);
-- error: AGGREGATE_FUNCTION_DOESNT_ALLOW_PARAMETERS
SELECT flameGraph(2)([1]::Array(UInt64));
-- error: ILLEGAL_TYPE_OF_ARGUMENT
SELECT flameGraph(NULL);
SET allow_introspection_functions = 0;
-- error: FUNCTION_NOT_ALLOWED
SELECT flameGraph([1]::Array(UInt64));
