SELECT sumMapFiltered([1, 4, 8])([1, 2, 4], [10, 20, 30]), toTypeName(sumMapFiltered([1, 4, 8])([1, 2, 4]::Array(UInt8), [10, 20, 30]::Array(UInt8)));
SELECT sumMapFilteredWithOverflow([1, 4, 8])([1, 2, 4], [200, 20, 30]), toTypeName(sumMapFilteredWithOverflow([1])([1], [1])) FROM numbers(2);
SELECT sumMapWithOverflow([1, 2, 4], [100, 20, 200]), toTypeName(sumMapWithOverflow([1], [1])) FROM numbers(2);
SELECT sumMapWithOverflow([1, 2], [1, 2], [3, 4]), sumMapWithOverflow(([1, 2], [3, 4]));
SELECT sumMapFiltered(['a'])(['a', 'b'], [1, 2]), sumMapFiltered([1, 2])([1, 2], [0, 0]);
SELECT number % 2 AS k, sumMapFiltered([1, 2])([number, number % 3], [1, 10]) FROM numbers(6) GROUP BY k ORDER BY k;
SELECT sumMapFilteredMerge([1, 4])(s) FROM (SELECT sumMapFilteredState([1, 4])([1, 2], [2, 3]) AS s FROM numbers(2) GROUP BY number);
SELECT finalizeAggregation(sumMapFilteredState([1, 4])([1, 2], [2, 3]));
SELECT sumMapFilteredIf([1, 2])([number, 2], [1, 1], number > 0) FROM numbers(3);
-- error: NUMBER_OF_ARGUMENTS_DOESNT_MATCH
SELECT sumMapFiltered([1, 2], [1, 2]);
-- error: ILLEGAL_TYPE_OF_ARGUMENT
SELECT sumMapFiltered(1)([1, 2], [1, 2]);
-- error: BAD_ARGUMENTS
SELECT sumMapFiltered([1, 2])([1, 2], [1]);
-- error: BAD_ARGUMENTS
SELECT sumMap([1, 2], [1]);
-- error: ILLEGAL_TYPE_OF_ARGUMENT
SELECT sumMapWithOverflow(map(1, 2));
CREATE TABLE bitmaps (k UInt8, s AggregateFunction(groupBitmap, UInt64)) ENGINE = Memory;
INSERT INTO bitmaps SELECT 0, groupBitmapState(number) FROM numbers(10);
INSERT INTO bitmaps SELECT 0, groupBitmapState(number) FROM numbers(5, 10);
INSERT INTO bitmaps SELECT 1, groupBitmapState(number) FROM numbers(3);
SELECT groupBitmapAnd(s), groupBitmapOr(s), groupBitmapXor(s) FROM bitmaps WHERE k = 0;
SELECT k, groupBitmapAnd(s), groupBitmapOr(s), groupBitmapXor(s) FROM bitmaps GROUP BY k ORDER BY k;
SELECT bitmapToArray(groupBitmapAndState(s)), bitmapToArray(groupBitmapOrState(s)), bitmapToArray(groupBitmapXorState(s)) FROM bitmaps WHERE k = 0;
SELECT toTypeName(groupBitmapAnd(s)), toTypeName(groupBitmapAndState(s)) FROM bitmaps;
SELECT groupBitmapMerge(x) FROM (SELECT groupBitmapAndState(s) AS x FROM bitmaps WHERE k = 0);
SELECT groupBitmapAnd(s), groupBitmapOr(s) FROM bitmaps WHERE k > 5;
SELECT groupBitmapAnd(s), toTypeName(groupBitmapAnd(s)) FROM (SELECT groupBitmapState(toUInt8(number)) AS s FROM numbers(10));
SELECT groupBitmapOrIf(s, k = 1) FROM bitmaps;
-- error: ILLEGAL_TYPE_OF_ARGUMENT
SELECT groupBitmapAnd(number) FROM numbers(2);
-- error: ILLEGAL_TYPE_OF_ARGUMENT
SELECT groupBitmapAnd(s) FROM (SELECT sumState(number) AS s FROM numbers(10));
