SELECT arrayReduceInRanges('sum', [(1, 5), (2, 3), (3, 4), (4, 4)], [1000000, 200000, 30000, 4000, 500, 60, 7]) AS r, toTypeName(r), arrayReduceInRanges('max', [(-3, 2), (0, 2), (1, 0), (10, 2), (-20, 100)], [1, 2, 3]), arrayReduceInRanges('groupArray', [(2, 2)], ['a', 'b', 'c']), arrayReduceInRanges('avgWeighted', [(1, 2)], [1, 2, 3], [1, 2, 3]), arrayReduceInRanges('quantile(0.5)', [(1, 3)], [1, 2, 3]);
SELECT arrayReduceInRanges('sum', [(2, 1)], [1, NULL, 3]), toTypeName(arrayReduceInRanges('sum', [(2, 1)], [1, NULL, 3])), arrayReduceInRanges('sum', [(-20, 19), (-20, 18), (-1, 1), (-2, 5)], [1, 2, 3]), arrayReduceInRanges('count', [(0, 0), (0, 1), (0, 2), (4, 1)], [1, 2, 3]);
SELECT arrayReduceInRanges('sum', [(number, 2)], range(number + 2)), arrayReduceInRanges('sum', arrayMap(x -> (x, 2), range(number)), range(10)) FROM numbers(4);
SELECT length(arrayReduceInRanges('sum', arrayMap(x -> (1, 1000), range(1000)), range(1000))), arraySum(arrayReduceInRanges('sum', arrayMap(x -> (1, 1000), range(1000)), range(1000)));
-- error: UNKNOWN_AGGREGATE_FUNCTION
SELECT arrayReduceInRanges('nope', [(1, 2)], [1, 2]);
-- error: ILLEGAL_TYPE_OF_ARGUMENT
SELECT arrayReduceInRanges('sum', [1, 2], [1, 2]);
-- error: ILLEGAL_TYPE_OF_ARGUMENT
SELECT arrayReduceInRanges('sum', [('a', 1)], [1]);
-- error: NUMBER_OF_ARGUMENTS_DOESNT_MATCH
SELECT arrayReduceInRanges('sum', [(1, 1)]);
-- error: SIZES_OF_ARRAYS_DONT_MATCH
SELECT arrayReduceInRanges('avgWeighted', [(1, 1)], [1, 2], [1]);
SELECT arrayZipUnaligned([1, 2], ['a']), toTypeName(arrayZipUnaligned([1, 2], ['a'])), arrayZipUnaligned([1]), arrayZipUnaligned([NULL, 1], []::Array(String)), arrayZipUnaligned(range(number), ['x']) FROM numbers(3);
-- error: ILLEGAL_TYPE_OF_ARGUMENT
SELECT arrayZipUnaligned([[1]], ['a', 'b']);
-- error: ILLEGAL_TYPE_OF_ARGUMENT
SELECT arrayZipUnaligned(1);
SELECT arrayAutocorrelation([1, 2, 3, 4, 5]), arrayAutocorrelation([1, 2, 3, 4, 5], 2), arrayAutocorrelation([10, 10, 10]), arrayAutocorrelation([]::Array(UInt8)), arrayAutocorrelation([1.5, 2, 4]), toTypeName(arrayAutocorrelation([1])), arrayAutocorrelation([5]), arrayAutocorrelation([1, 2, 3], 10), arrayAutocorrelation([1, 2, 3], 0), arrayAutocorrelation([1, nan, 3]), arrayAutocorrelation([1::Decimal(9, 2), 2::Decimal(9, 2)]), arrayAutocorrelation([1, 2, 4, 7, 1], 3);
SELECT arrayAutocorrelation([1, 2, 3], number) FROM numbers(3);
-- error: BAD_ARGUMENTS
SELECT arrayAutocorrelation([1, 2, 3], -1);
-- error: ILLEGAL_TYPE_OF_ARGUMENT
SELECT arrayAutocorrelation([1, NULL]);
-- error: ILLEGAL_TYPE_OF_ARGUMENT
SELECT arrayAutocorrelation(['a']);
SELECT arrayEnumerateUniqRanked([['hello', 'world'], ['hello'], ['hello']]), arrayEnumerateUniqRanked([['hello', 'world'], ['hello'], ['hello']], 1), arrayEnumerateUniqRanked(1, [['hello', 'world'], ['hello'], ['world'], ['world']]), arrayEnumerateUniqRanked(2, [['hello', 'world', 'hello'], ['hello']]), arrayEnumerateUniqRanked([['a', 'b'], ['a'], ['b'], ['b']], ['a', 'b', 'b', 'b']), arrayEnumerateDenseRanked([10, 20, 10, 30]), arrayEnumerateDenseRanked(1, [[10, 20], [10, 30]], 2), toTypeName(arrayEnumerateUniqRanked([[1]])), arrayEnumerateUniqRanked([1, 1, 2]), arrayEnumerateDenseRanked([['a', 'b'], ['a'], ['b'], ['b']], 1, ['a', 'b', 'b', 'b'], 1), arrayEnumerateUniqRanked([NULL, 1, NULL]), arrayEnumerateUniqRanked(2, [[1, 2], [], [1]], 2);
SELECT number, arrayEnumerateUniqRanked([range(number), range(2), range(number)]), arrayEnumerateDenseRanked(2, [range(number), [1, 1, 2]]) FROM numbers(3) ORDER BY number;
-- error: BAD_ARGUMENTS
SELECT arrayEnumerateUniqRanked(0, [1]);
-- error: BAD_ARGUMENTS
SELECT arrayEnumerateUniqRanked([1], 2);
-- error: BAD_ARGUMENTS
SELECT arrayEnumerateUniqRanked(2, [1]);
-- error: BAD_ARGUMENTS
SELECT arrayEnumerateUniqRanked(1);
-- error: SIZES_OF_ARRAYS_DONT_MATCH
SELECT arrayEnumerateUniqRanked([1, 2], [1]);
-- error: BAD_ARGUMENTS
SELECT arrayEnumerateUniqRanked(1, [1], 1, 2);
SELECT arrayLevenshteinDistance([1, 2, 4], [1, 2, 3]), toTypeName(arrayLevenshteinDistance([1], [2])), arrayLevenshteinDistance(['a', 'b'], []::Array(String)), arrayLevenshteinDistanceWeighted(['A', 'B', 'C'], ['A', 'K', 'L'], [1.0, 2, 3], [3.0, 4, 5]), toTypeName(arrayLevenshteinDistanceWeighted(['A'], ['A'], [1], [3])), arrayLevenshteinDistanceWeighted(['A', 'B', 'C'], ['A', 'K', 'L'], [1, 2, 3], [3, 4, 5]), arraySimilarity(['A', 'B', 'C'], ['A', 'K', 'L'], [1.0, 2, 3], [3.0, 4, 5]), arraySimilarity([]::Array(UInt8), []::Array(UInt8), []::Array(UInt8), []::Array(UInt8)), arraySimilarity([1], []::Array(UInt8), [1], []::Array(UInt8)), arraySimilarity([1], [1], [0], [0]), arraySimilarity([1], [2], [0], [0]);
SELECT arrayLevenshteinDistance([NULL, 1], [1]), arrayLevenshteinDistance([[1]], [[1], [2]]), arrayLevenshteinDistance([1::UInt8], [1::Int64]), arrayLevenshteinDistance([1], ['a']), arrayLevenshteinDistanceWeighted(['A', 'B'], ['B'], [-1.0, 2], [3.0]), arrayLevenshteinDistance(range(number), range(3)) FROM numbers(3);
-- error: SIZES_OF_ARRAYS_DONT_MATCH
SELECT arrayLevenshteinDistanceWeighted(['A'], ['A'], [1, 2], [3]);
-- error: ILLEGAL_TYPE_OF_ARGUMENT
SELECT arrayLevenshteinDistance(1, [1]);
-- error: ILLEGAL_TYPE_OF_ARGUMENT
SELECT arrayLevenshteinDistanceWeighted(['A'], ['A'], ['a'], [3]);
SELECT arrayTopK(3, [1, 5, 2, 7, 3]), arrayBottomK(3, [1, NULL, 5, 2, NULL, 7]), arrayTopK(0, [1]), arrayTopK(2, ['a', 'c', 'b']), toTypeName(arrayTopK(2, [1, NULL])), arrayTopK((x, y) -> y, 2, ['a', 'b', 'c'], [3, 1, 2]), arrayBottomK(x -> -x, 2, [5, 9, 1, 3]), arrayTopK(2, [1.0, nan, 3.0]), arrayBottomK(2, [1.0, nan, 3.0]), arrayTopK(x -> 1, 2, [1, 2, 3]), arrayTopK(2, []::Array(UInt8)), arrayTopK(5, [NULL, 1]), arrayTopK(x -> if(x = 1, NULL, x), 3, [1, 2, 3]);
SELECT arrayTopK((x, y) -> y, 2, [NULL, 1], [5, 1]), arrayBottomK(2, [[3], [1], [2]]), arrayTopK(2, ['b', NULL]), arrayTopK(x -> x % 2, 3, [1, 2, 3, 4, 5]), arrayBottomK(x -> x % 2, 3, [1, 2, 3, 4, 5]), arrayTopK(2, [(1, 'a'), (2, 'b'), (0, 'c')]), arrayTopK(2::UInt64, [2, 2, 3]);
SELECT arrayTopK(number + 1, [3, 1, 2]), arrayTopK(x -> x + number, number, range(3)) FROM numbers(3);
-- error: BAD_ARGUMENTS
SELECT arrayTopK(-1, [1]);
-- error: ILLEGAL_TYPE_OF_ARGUMENT
SELECT arrayTopK([1], 1);
-- error: ILLEGAL_TYPE_OF_ARGUMENT
SELECT arrayTopK('a', [1]);
SELECT arrayNormalizedGini([0.9, 0.3, 0.8, 0.7], [6, 1, 0, 2]), toTypeName(arrayNormalizedGini([1], [1])), arrayNormalizedGini([1, 2], [0, 0]), arrayNormalizedGini([1, 1, 2], [3, 2, 1]);
-- error: ILLEGAL_COLUMN
SELECT arrayNormalizedGini([1, 2], [1]);
-- error: ILLEGAL_TYPE_OF_ARGUMENT
SELECT arrayNormalizedGini(['a'], [1]);
SELECT replicate(1, ['a', 'b']), replicate('x', []::Array(UInt8)), toTypeName(replicate(NULL, [1])), replicate([1], [1, 2]), replicate(1, [1, 2], [3, 4]), replicate(number, range(number)) FROM numbers(3);
-- error: ILLEGAL_TYPE_OF_ARGUMENT
SELECT replicate(1, 1);
SELECT unnest([1, 2]) AS x, arrayJoin([1, 2]);
SELECT seriesOutliersDetectTukey([-3, 2, 15, 3, 5, 6, 4, 5, 12, 45, 12, 3, 3, 4, 3, 3, 4, 5, 6]), seriesOutliersDetectTukey([-3, 2, 4.50, 15, 3, 5, 6, 4.50, 5, 12, 45, 12, 3.40, 3, 4, 3.40, 3, 4, 5, 6], 0.2, 0.8, 1.5), toTypeName(seriesOutliersDetectTukey([1, 2, 3, 4]));
-- error: BAD_ARGUMENTS
SELECT seriesOutliersDetectTukey([1, 2, 3]);
-- error: BAD_ARGUMENTS
SELECT seriesOutliersDetectTukey([1, 2, 3, 4], 0.5, 0.4, 1);
-- error: NUMBER_OF_ARGUMENTS_DOESNT_MATCH
SELECT seriesOutliersDetectTukey([1, 2, 3, 4], 0.2, 0.8);
