SELECT bitmapToArray(bitmapBuild([1, 3, 5, 3])), bitmapCardinality(bitmapBuild([1, 5, 3, 3])), toTypeName(bitmapBuild([1, 300]));
SELECT bitmapToArray(bitmapBuild(CAST([] AS Array(UInt8)))), bitmapToArray(bitmapBuild([toUInt64(1), 4294967296]));
SELECT bitmapContains(bitmapBuild([1, 5]), 5), bitmapContains(bitmapBuild([1, 5]), 300), bitmapContains(bitmapBuild([1, 5]), -1);
SELECT bitmapHasAny(bitmapBuild([1, 5]), bitmapBuild([5, 6])), bitmapHasAny(bitmapBuild([1, 5]), bitmapBuild([6]));
SELECT bitmapHasAll(bitmapBuild([1, 5]), bitmapBuild([5])), bitmapHasAll(bitmapBuild([1, 5]), bitmapBuild([5, 6]));
SELECT bitmapToArray(bitmapAnd(bitmapBuild([1, 2, 3]), bitmapBuild([3, 4]))), bitmapToArray(bitmapOr(bitmapBuild([1, 2, 3]), bitmapBuild([3, 4])));
SELECT bitmapToArray(bitmapXor(bitmapBuild([1, 2, 3]), bitmapBuild([3, 4]))), bitmapToArray(bitmapAndnot(bitmapBuild([1, 2, 3]), bitmapBuild([3, 4])));
SELECT bitmapAndCardinality(bitmapBuild([1, 2, 3]), bitmapBuild([3, 4])), bitmapOrCardinality(bitmapBuild([1, 2, 3]), bitmapBuild([3, 4]));
SELECT bitmapXorCardinality(bitmapBuild([1, 2, 3]), bitmapBuild([3, 4])), bitmapAndnotCardinality(bitmapBuild([1, 2, 3]), bitmapBuild([3, 4]));
SELECT bitmapMin(bitmapBuild([3, 4])), bitmapMax(bitmapBuild([3, 4])), bitmapMin(bitmapBuild([1, -2])), bitmapMax(bitmapBuild([1, -2]));
SELECT bitmapMin(bitmapBuild(emptyArrayUInt8())), bitmapMax(bitmapBuild(emptyArrayUInt8())), toTypeName(bitmapMax(bitmapBuild([1])));
SELECT bitmapToArray(bitmapSubsetInRange(bitmapBuild([0, 1, 2, 3, 4, 5, 6]), toUInt8(2), toUInt8(5)));
SELECT bitmapToArray(bitmapSubsetLimit(bitmapBuild([0, 1, 2, 3, 4, 5, 6]), toUInt8(2), toUInt8(3)));
SELECT bitmapToArray(subBitmap(bitmapBuild([0, 1, 2, 3, 4, 5, 6]), toUInt8(2), toUInt8(3)));
SELECT bitmapToArray(bitmapTransform(bitmapBuild([1, 2, 3, 4, 5]), [5, 99, 2], [6, 88, 20]));
SELECT k, bitmapToArray(b), bitmapCardinality(bitmapAnd(b, bitmapBuild([toUInt64(0), 2, 3]))) FROM (SELECT number % 2 AS k, groupBitmapState(number) AS b FROM numbers(6) GROUP BY k) ORDER BY k;
SELECT groupBitmapMerge(b), bitmapToArray(groupBitmapMergeState(b)) FROM (SELECT bitmapBuild(arrayJoin([[1, 2, 3], [3, 4]])) AS b);
-- error: ILLEGAL_TYPE_OF_ARGUMENT
SELECT bitmapAnd(bitmapBuild([1, 2]), bitmapBuild([300]));
-- error: ILLEGAL_TYPE_OF_ARGUMENT
SELECT bitmapCardinality(1);
-- error: ILLEGAL_TYPE_OF_ARGUMENT
SELECT bitmapBuild([1.5]);
-- error: BAD_ARGUMENTS
SELECT bitmapTransform(bitmapBuild([1, 2]), [1], [888]);
