CREATE TABLE a1 (s AggregateFunction(min, DateTime64(3))) ENGINE = MergeTree ORDER BY tuple();
INSERT INTO a1 SELECT minState(toDateTime64('2024-01-01 00:00:00', 3, 'UTC'));
SELECT toUnixTimestamp64Milli(minMerge(s)) FROM a1;
CREATE TABLE a2 (s AggregateFunction(quantile(0.9), UInt64)) ENGINE = MergeTree ORDER BY tuple();
INSERT INTO a2 SELECT quantileState(0.5)(number) FROM numbers(11);
INSERT INTO a2 SELECT medianState(number) FROM numbers(11);
SELECT quantileMerge(0.9)(s) FROM a2;
-- error: CANNOT_CONVERT_TYPE
INSERT INTO a2 SELECT quantileState(0.5)(toUInt32(number)) FROM numbers(11);
-- error: CANNOT_CONVERT_TYPE
INSERT INTO a2 SELECT quantileTDigestState(0.5)(number) FROM numbers(11);
CREATE TABLE a3 (s AggregateFunction(quantiles(0.5, 0.9), UInt64)) ENGINE = MergeTree ORDER BY tuple();
INSERT INTO a3 SELECT quantilesState(0.5)(number) FROM numbers(11);
SELECT quantilesMerge(0.5, 0.9)(s) FROM a3;
CREATE TABLE a5 (s AggregateFunction(sum, UInt64), c AggregateFunction(count, UInt8), g AggregateFunction(groupArray, UInt64), mx AggregateFunction(max, DateTime), ag AggregateFunction(argMax, UInt64, DateTime64(3))) ENGINE = MergeTree ORDER BY tuple();
INSERT INTO a5 (c) SELECT countState() FROM numbers(11);
INSERT INTO a5 (c) SELECT countState(number) FROM numbers(11);
INSERT INTO a5 (mx) SELECT maxState(toDateTime(number, 'UTC')) FROM numbers(11);
INSERT INTO a5 (ag) SELECT argMaxState(number, toDateTime64(number, 3, 'UTC')) FROM numbers(11);
INSERT INTO a5 (s) SELECT sumIfState(number, number > 3) FROM numbers(11);
-- error: CANNOT_CONVERT_TYPE
INSERT INTO a5 (s) SELECT sumState(toUInt32(number)) FROM numbers(11);
-- error: CANNOT_CONVERT_TYPE
INSERT INTO a5 (g) SELECT groupArrayState(3)(number) FROM numbers(11);
-- error: CANNOT_CONVERT_TYPE
INSERT INTO a5 (mx) SELECT minState(toDateTime(number)) FROM numbers(11);
SELECT countMerge(c), argMaxMerge(ag), sumMerge(s), toUnixTimestamp(maxMerge(mx)) FROM a5;
CREATE TABLE sa (k UInt8, g SimpleAggregateFunction(groupArrayArray(3), Array(UInt64)), u SimpleAggregateFunction(groupUniqArrayArray(3), Array(UInt64))) ENGINE = AggregatingMergeTree ORDER BY k;
INSERT INTO sa VALUES (1, [1, 2], [1, 2]);
INSERT INTO sa VALUES (1, [3, 4], [1, 3]);
OPTIMIZE TABLE sa FINAL;
SELECT k, g, arraySort(u), toTypeName(g) FROM sa;
CREATE TABLE a9 (s AggregateFunction(sum, Decimal(50, 10)), m AggregateFunction(argMin, Decimal(24, 10), UInt16)) ENGINE = AggregatingMergeTree ORDER BY tuple();
INSERT INTO a9 SELECT sumState(toDecimal256('1.1', 10)), argMinState(toDecimal128('0.1', 10), toUInt16(19)) FROM numbers(2);
SELECT sumMerge(s), argMinMerge(m), toTypeName(argMinMerge(m)) FROM a9;
