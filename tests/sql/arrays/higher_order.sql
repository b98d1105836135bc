SELECT arrayMap(x -> x * 2, [1, 2, 3]), arrayMap((x, y) -> x + y, [1, 2], [10, 20]), arrayMap(x -> toString(x), [1, 2]), arrayMap(x -> (x, x + 1), [1]);
SELECT arrayFilter(x -> x > 1, [1, 2, 3]), arrayFilter((x, y) -> y, [1, 2], [0, 1]), arrayFilter(x -> x LIKE 'a%', ['ab', 'b']);
SELECT arrayCount(x -> x > 1, [1, 2, 3]), arrayCount([0, 1, 1]), arrayExists(x -> x = 2, [1, 2]), arrayAll(x -> x > 0, [1, 2]), arrayExists(x -> x > 5, []), arrayAll(x -> x > 5, []);
SELECT arrayFirst(x -> x > 1, [1, 2, 3]), arrayLast(x -> x > 1, [1, 2, 3]), arrayFirstIndex(x -> x > 1, [1, 2, 3]), arrayLastIndex(x -> x > 1, [1, 2, 3]), arrayFirst(x -> x > 9, [1]), arrayFirstOrNull(x -> x > 9, [1]), arrayLastOrNull(x -> x > 9, [1]);
SELECT arraySum(x -> x * x, [1, 2, 3]), arrayAvg(x -> x * 2, [1, 2]), arrayMin(x -> -x, [1, 2]), arrayMax(x -> -x, [1, 2]), arrayCumSum(x -> x * 2, [1, 2]), arrayProduct(x -> x + 1, [1, 2]);
SELECT arraySort(x -> -x, [1, 3, 2]), arraySort((x, y) -> y, ['a', 'b', 'c'], [3, 1, 2]), arrayReverseSort(x -> -x, [1, 3, 2]), arrayReverseSort((x, y) -> y, ['a', 'b'], [1, 2]);
SELECT arrayFill(x -> x != 0, [1, 0, 0, 2]), arrayReverseFill(x -> x != 0, [1, 0, 0, 2]), arraySplit(x -> x = 1, [0, 1, 2, 1, 3]), arrayReverseSplit(x -> x = 1, [0, 1, 2]), arrayFold((acc, x) -> acc + x, [1, 2, 3], toInt64(0));
SELECT arrayMap(x -> x + number, [1, 2]) FROM numbers(3);
SELECT arrayMap(x -> arrayMap(y -> x * y, [1, 2]), [3, 4]), arrayMap(a -> arraySum(a), [[1, 2], [3]]), arrayFilter(x -> has([1, 3], x), [1, 2, 3]);
SELECT arrayMap(x -> if(x % 2, 'odd', 'even'), range(4)), arrayMap(x -> NULL, [1]), arrayMap(x -> x.1 + x.2, [(1, 2), (3, 4)]), arrayMap((k, v) -> concat(k, '=', toString(v)), ['a'], [1]);
SELECT groupArray(x) FROM (SELECT arrayJoin(arrayMap(x -> x * x, range(4))) AS x);
SELECT sum(arraySum(arrayMap(x -> x * number, [1, 2, 3]))) FROM numbers(100);
-- error: SIZES_OF_ARRAYS_DONT_MATCH
SELECT arrayMap((x, y) -> x + y, [1], [1, 2]);
-- error: UNKNOWN_IDENTIFIER
SELECT arrayMap(x -> x + undefined_name, [1]);
-- error: TYPE_MISMATCH
SELECT arrayFold((acc, x) -> acc + x, [1, 2], 0);
-- error: TYPE_MISMATCH
SELECT arrayFold((acc, x) -> toString(x), [1, 2], toInt64(5));
SELECT arrayFold((acc, x) -> acc + x, [toUInt64(1), 2], toInt64(5)), arrayFold((acc, x) -> concat(acc, x), ['a', 'b'], '');
