SELECT arrayMap(part -> arrayMap(x -> round(x, 2) + 0, part), seriesDecomposeSTL([10.1, 20.45, 40.34, 10.1, 20.45, 40.34, 10.1, 20.45, 40.34, 10.1, 20.45, 40.34, 10.1, 20.45, 40.34, 10.1, 20.45, 40.34, 10.1, 20.45, 40.34, 10.1, 20.45, 40.34], 3)), toTypeName(seriesDecomposeSTL([1, 2, 3, 4], 2));
SELECT arrayMap(part -> arrayMap(x -> round(x, 3), part), seriesDecomposeSTL([1, 2, 3, 4, 5, 6, 7, 8.5, 1, -7, 3, 2, 8, 9, 1, 2, 3, 17, 2, 5], 4));
SELECT arrayMap(part -> arrayMap(x -> round(x, 3), part), seriesDecomposeSTL([1, 2, 3, 4, 5, 6, 7, 8, 8, 8], 3)), arrayMap(part -> arrayMap(x -> round(x, 3), part), seriesDecomposeSTL([1, 2, 3, 4, 5, 6, 7, 8], 0)), arrayMap(part -> arrayMap(x -> round(x, 3), part), seriesDecomposeSTL([1, 2, 3, 4, 5, 6, 7, 8], 1));
SELECT arrayMap(part -> arrayMap(x -> round(x, 3), part), seriesDecomposeSTL(if(number = 1, [1, 2, 3, 4, 4, 5]::Array(Int8), [3, 4, 6, 7, 8, 1]), 2)), arrayMap(part -> arrayMap(x -> round(x, 3), part), seriesDecomposeSTL([1, 2, 3, 4, 5, 6, 7, 8.5, 1, -7], materialize(5))) FROM numbers(2);
SELECT arrayMap(part -> round(arraySum(part), 1), seriesDecomposeSTL(arrayMap(i -> i / 100 + sin(i / 12 * 2 * pi()), range(480)), 12));
SELECT seriesDecomposeSTL([1, 2, 3, 4, 5, nan, 7, 8.5, 1, -7], 2);
-- error: BAD_ARGUMENTS
SELECT seriesDecomposeSTL([1, 2, 3], 1);
-- error: BAD_ARGUMENTS
SELECT seriesDecomposeSTL([1, 2, 3, 4, 5, 6, 7, 8.5, 1, -7], 6);
-- error: ILLEGAL_TYPE_OF_ARGUMENT
SELECT seriesDecomposeSTL([1, 2, 3, 4, 5, 6, 7, 8], -4);
-- error: ILLEGAL_TYPE_OF_ARGUMENT
SELECT seriesDecomposeSTL([1, 2, 3, 4, 5, 6, 7, 8], 2.);
-- error: ILLEGAL_COLUMN
SELECT seriesDecomposeSTL(['a'], 4);
-- error: ILLEGAL_COLUMN
SELECT seriesDecomposeSTL([1, 2, NULL, 4, 5], 2);
-- error: NUMBER_OF_ARGUMENTS_DOESNT_MATCH
SELECT seriesDecomposeSTL([1, 2, 3, 4]);
