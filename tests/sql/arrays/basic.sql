SELECT length([1, 2, 3]), empty([]), notEmpty([1]), range(5), range(2, 5), range(0, 10, 3), range(5, 0, -2), array(1, 2), arrayConcat([1], [2, 3]);
SELECT has([1, 2], 2), has(['a'], 'b'), hasAll([1, 2, 3], [1, 3]), hasAny([1, 2], [2, 5]), hasSubstr([1, 2, 3], [2, 3]), indexOf([1, 2, 1], 1), indexOf(['a'], 'z'), countEqual([1, 1, 2], 1);
SELECT arrayElement([1, 2], 1), [1, 2, 3][-1], arrayElementOrNull([1], 5), arrayPushBack([1], 2), arrayPushFront([1], 0), arrayPopBack([1, 2]), arrayPopFront([1, 2]);
SELECT arraySlice([1, 2, 3, 4], 2), arraySlice([1, 2, 3, 4], 2, 2), arraySlice([1, 2, 3, 4], -2), arraySlice([1, 2, 3, 4], 1, -1), arrayResize([1], 3), arrayResize([1], 3, 9), arrayResize([1, 2, 3], -2);
SELECT arraySort([3, 1, 2]), arrayReverseSort([3, 1, 2]), arraySort(['b', 'a']), arrayReverse([1, 2, 3]), reverse([1, 2]), arraySort([1, NULL, 0]), arrayReverseSort([1, NULL, 0]), arraySort([2., nan, 1.]);
SELECT arrayUniq([1, 1, 2]), arrayDistinct([2, 1, 2]), arrayCompact([1, 1, 2, 2, 1]), arrayEnumerate([10, 20]), arrayEnumerateUniq([1, 1, 2]), arrayEnumerateDense(['a', 'b', 'a']), arrayIntersect([1, 2], [2, 3]), arrayUnion([1], [1]), arrayExcept([1, 2, 3], [2]);
SELECT arraySum([1, 2, 3]), arrayAvg([1, 2, 3]), arrayMin([3, 1]), arrayMax([3, 1]), arrayProduct([2, 3]), arrayCumSum([1, 2, 3]), arrayCumSumNonNegative([1, -5, 3]), arrayDifference([1, 4, 9]);
SELECT arrayZip([1, 2], ['a', 'b']), arrayFlatten([[1], [2, 3]]), arrayWithConstant(3, 'x'), arrayJoin([1]), arrayDotProduct([1, 2], [3, 4]);
SELECT arrayReduce('max', [1, 5, 3]);
SELECT arrayReduce('uniq', [1, 1, 2]);
SELECT arrayReduce('sum', [1, 2]);
SELECT emptyArrayUInt8(), emptyArrayString(), arrayStringConcat(['a', 'b'], ','), toTypeName([1, 2.5]), toTypeName([1, -1]), toTypeName(['a', NULL]), toTypeName(array());
SELECT arrayRotateLeft([1, 2, 3], 1), arrayRotateRight([1, 2, 3], 1), arrayPartialSort(2, [5, 1, 3]);
SELECT arrayShiftLeft([1, 2, 3], 1);
SELECT arrayShiftRight([1, 2, 3], 1);
SELECT arrayJaccardIndex([1, 2], [2, 3]);
SELECT arrayAUC([0.1, 0.4, 0.35, 0.8], [0, 0, 1, 1]);
SELECT [1, 2] = [1, 2], [1] < [2], [[1], [2]], toString([1, 2]), [toDate('2024-01-01')], [(1, 'a')], ['it''s', 'a\tb'];
-- error: SIZES_OF_ARRAYS_DONT_MATCH
SELECT arrayZip([1], [1, 2]);
-- error: ILLEGAL_TYPE_OF_ARGUMENT
SELECT arraySum(5);
SELECT arrayROCAUC([0.1, 0.4, 0.35, 0.8], [0, 0, 1, 1], false), arrayAUCPR([0.1, 0.4, 0.35, 0.8], [0, 0, 1, 1]), arrayROCAUC([0.5, 0.5, 0.5], [0, 1, 1]), arrayAUC([1, 1, 2, 2], [0, 1, 0, 1]), arrayAUCPR([1, 1, 2, 2], [0, 1, 0, 1]);
-- error: ZERO_ARRAY_OR_TUPLE_INDEX
SELECT materialize([1, 2])[0];
