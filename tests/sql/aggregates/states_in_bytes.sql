SELECT hex(countState()), hex(sumState(number)), hex(avgState(number)), hex(maxState(toString(number))) FROM numbers(3);
SELECT hex(sumState(toNullable(number))), hex(minState(number)), hex(argMaxState(toString(number), number)) FROM numbers(0);
SELECT hex(groupArrayState(toString(number))), hex(groupArrayState(2)(number)), hex(groupBitmapState(toUInt8(number))) FROM numbers(3);
SELECT hex(groupBitmapState(toUInt32(number))), hex(groupBitmapState(number * 100000)) FROM numbers(40);
SELECT hex(sumIfState(number, number > 1)), hex(sumArrayState([number])), hex(sumOrNullState(number)), hex(argMinState(number, toString(number))) FROM numbers(3);
SELECT hex(bitmapBuild([1, 2, 3])), hex(CAST(sumState(number) AS String)) FROM numbers(3);
SELECT toString(sumState(1094795585));
SELECT finalizeAggregation(CAST(unhex('0300000000000000') AS AggregateFunction(sum, UInt8)));
SELECT finalizeAggregation(CAST(unhex('020000003200') AS AggregateFunction(max, String)));
SELECT bitmapToArray(CAST(unhex('0003010203') AS AggregateFunction(groupBitmap, UInt8)));
SELECT bitmapCardinality(CAST(unhex('010F3B3000000100002000010000002000') AS AggregateFunction(groupBitmap, UInt32)));
SELECT finalizeAggregation(CAST(unhex('03013001310132') AS AggregateFunction(groupArray, String)));
SELECT uniqExactMerge(s) FROM (SELECT CAST(unhex('050001040203') AS AggregateFunction(uniqExact, UInt8)) AS s UNION ALL SELECT uniqExactState(toUInt8(number + 3)) AS s FROM numbers(5));
-- error: CANNOT_READ_ALL_DATA
SELECT CAST(unhex('0300') AS AggregateFunction(sum, UInt8));
-- error: BAD_ARGUMENTS
SELECT CAST(unhex('030000000000000000') AS AggregateFunction(sum, UInt8));
-- Where NULL counts as a value, the first byte tells whether there is one.
SELECT hex(any_respect_nullsState(number)), hex(anyLast_respect_nullsState(if(number = 1, NULL, 'abc'))), hex(any_respect_nullsState(if(number = 1, NULL, 'abc'))), hex(any_respect_nullsState([number, 7])) FROM numbers(2);
SELECT hex(any_respect_nullsState(number)), hex(anyLast_respect_nullsState(toNullable(number))) FROM numbers(0);
SELECT finalizeAggregation(CAST(unhex('01'), 'AggregateFunction(any_respect_nulls, UInt64)')), finalizeAggregation(CAST(unhex('030003616263'), 'AggregateFunction(lastValueRespectNulls, Nullable(String))')), finalizeAggregation(CAST(unhex('02'), 'AggregateFunction(any_respect_nulls, Nullable(UInt8))'));
-- error: INCORRECT_DATA
SELECT finalizeAggregation(CAST(unhex('00'), 'AggregateFunction(any_respect_nulls, UInt64)'));
-- error: INCORRECT_DATA
SELECT finalizeAggregation(CAST(unhex('02'), 'AggregateFunction(any_respect_nulls, UInt64)'));
