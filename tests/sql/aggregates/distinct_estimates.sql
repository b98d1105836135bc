-- The very numbers of ClickHouse: the hashes, the sets and the corrections are the same.
SELECT uniq(number), uniqHLL12(number), uniqCombined(number), uniqCombined64(number) FROM numbers(1000000);
SELECT uniq(toString(number)), uniqHLL12(toString(number)), uniqCombined(toString(number)), uniqCombined64(toString(number)) FROM numbers(100000);
SELECT uniqCombined(12)(number), uniqCombined(13)(number), uniqCombined(14)(number), uniqCombined(15)(number), uniqCombined(16)(number), uniqCombined(18)(number), uniqCombined(19)(number), uniqCombined(20)(number) FROM numbers(100000);
SELECT uniqCombined64(12)(number), uniqCombined64(16)(number), uniqCombined64(20)(number) FROM numbers(100000);
SELECT uniqCombined(number), uniq(number), uniqHLL12(number) FROM numbers(8191);
SELECT uniqCombined(number), uniq(number), uniqHLL12(number) FROM numbers(8193);
SELECT number % 3 AS k, uniqCombined(number), uniq(number), uniqHLL12(number), uniqCombined64(14)(toString(number)), uniq(toString(number)) FROM numbers(300000) GROUP BY k ORDER BY k;
SELECT uniq(number, number % 7), uniqHLL12(number, number % 7), uniqCombined(number, number % 7), uniqCombined64((number, number % 7)) FROM numbers(300000);
SELECT uniq(-number), uniqHLL12(-number), uniqCombined(-number), uniqHLL12(toInt16(number)) FROM numbers(100000);
SELECT uniqHLL12(number / 3), uniq(number / 3), uniqCombined(toFloat32(number)), uniqHLL12(toFloat32(number)) FROM numbers(100000);
SELECT uniqCombined(toInt128(number)), uniqCombined(toUInt128(number)), uniqCombined(toInt256(number)), uniq(toUInt256(number)), uniqHLL12(toInt128(number)) FROM numbers(100000);
SELECT uniqCombined(toDecimal64(number, 3)), uniqCombined([number]), uniqCombined(tuple(toNullable(number))) FROM numbers(100000);
SELECT uniqCombined(toDate(number % 60000)), uniqCombined(toDateTime(number)), uniqCombined(toDateTime64(number, 3, 'UTC')), uniqCombined(toIPv4(toUInt32(number))), uniqCombined(toFixedString(toString(number), 8)) FROM numbers(100000);
SELECT uniqCombined(if(number % 2, NULL, number)), uniq(if(number % 2, NULL, number)), uniqCombined(NULL), uniq(NULL) FROM numbers(100000);
SELECT uniqCombinedMerge(s), uniqMerge(u) FROM (SELECT uniqCombinedState(number) AS s, uniqState(number) AS u FROM numbers(1000000) GROUP BY number % 7);
SELECT hex(uniqState(number)), hex(uniqHLL12State(number)), hex(uniqCombinedState(number)), hex(uniqCombined64State(toString(number))) FROM numbers(3);
SELECT hex(uniqState(toNullable(number))), hex(uniqCombinedState(toNullable(number))), hex(uniqHLL12State(toInt8(-number))) FROM numbers(2);
SELECT hex(uniqState((number, toNullable(number)))), hex(uniqState([number])), hex(uniqState([NULL])) FROM numbers(1, 1);
SELECT hex(uniqCombined64State(toInt256(-5))), hex(uniqCombined64State(toUInt128(5))), hex(uniqState(toUUID('61f0c404-5cb3-11e7-907b-a6006ad3dba0'))), hex(uniqState(toIPv6('::1'))), hex(uniqState(true)), hex(uniqState(INTERVAL 1 DAY)), hex(uniqState(toBFloat16(1.5)));
SELECT length(CAST(uniqCombinedState(number) AS String)), length(CAST(uniqCombined64State(number) AS String)), length(CAST(uniqCombined64State(12)(number) AS String)), length(CAST(uniqHLL12State(number) AS String)), cityHash64(CAST(uniqHLL12State(number) AS String)) FROM numbers(100000) SETTINGS max_threads = 1;
SELECT finalizeAggregation(CAST(unhex('0003000000002CCBC234E7830665') AS AggregateFunction(uniq, UInt64))), finalizeAggregation(CAST(unhex('0102215F824B75554CD5') AS AggregateFunction(uniqCombined, Int8)));
-- error: ARGUMENT_OUT_OF_BOUND
SELECT uniqCombined(11)(number) FROM numbers(10);
-- error: ARGUMENT_OUT_OF_BOUND
SELECT uniqCombined(21)(number) FROM numbers(10);
-- error: NUMBER_OF_ARGUMENTS_DOESNT_MATCH
SELECT uniqCombined(12, 3)(number) FROM numbers(10);
-- error: AGGREGATE_FUNCTION_DOESNT_ALLOW_PARAMETERS
SELECT uniqHLL12(12)(number) FROM numbers(10);
