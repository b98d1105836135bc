-- States of quantileTiming and quantileGK are ClickHouse's bytes, both ways.
SELECT hex(quantileTimingState(number)) FROM numbers(0);
SELECT hex(quantileTimingState(number * 300)), hex(quantileTimingState(number + 40000)), hex(quantileTimingState(number + 0.7)) FROM numbers(3);
SELECT hex(quantileTimingState(number)) FROM numbers(31);
SELECT hex(quantileTimingState(number)) FROM numbers(32);
SELECT length(toString(quantileTimingState(number % 7000))) FROM numbers(3000);
SELECT length(s), hex(substring(s, 1, 30)), sipHash64(s) FROM (SELECT toString(quantileTimingState(number * 3)) AS s FROM numbers(6000));
SELECT hex(quantileTimingWeightedState(number * 1030, 40)), hex(quantileTimingWeightedState(number, 2)) FROM numbers(3);
SELECT hex(quantileTimingState(if(number = 1, NULL, number))), hex(quantilesTimingState(0.5)(if(number = 1, NULL, number))) FROM numbers(3);
SELECT hex(quantileGKState(100, 0.5)(number)) FROM numbers(0);
SELECT hex(quantileGKState(100, 0.5)(number::UInt8)), hex(quantileGKState(10, 0.5)(number::Float32)), hex(quantilesGKState(10, 0.5, 0.9)(number::Int16)), hex(quantileGKState(10, 0.5)(if(number = 1, NULL, number))) FROM numbers(3);
SELECT hex(quantileGKState(10, 0.5)(number)) FROM numbers(1000);
SELECT finalizeAggregation(CAST(unhex('010300010001000100') AS AggregateFunction(quantileTiming, UInt64))), finalizeAggregation(CAST(unhex('0378000000000000000000280000000000000000042800000000000000400428000000000000003075') AS AggregateFunction(quantileTiming(0.9), UInt64)));
SELECT quantileTimingMerge(0.5)(CAST(unhex(h) AS AggregateFunction(quantileTiming(0.5), UInt64))) FROM values('h String', ('010300010001000100'), ('0103000A000B000C00'), ('010000'));
SELECT finalizeAggregation(CAST(unhex('10270000000000009A9999999999B93F0200000000000000020000000000000000000000010000000000000000000000000000000000803F01000000000000000000000000000000') AS AggregateFunction(quantileGK(10, 0.9), Float32)));
INSERT INTO FUNCTION file('summaries.native', 'Native') SELECT number % 2 AS k, quantileTimingState(number) AS t, quantilesGKState(100, 0.1, 0.9)(number) AS g FROM numbers(2000) GROUP BY k ORDER BY k SETTINGS engine_file_truncate_on_insert = 1;
SELECT k, finalizeAggregation(t), finalizeAggregation(g) FROM file('summaries.native', 'Native', 'k UInt8, t AggregateFunction(quantileTiming, UInt64), g AggregateFunction(quantilesGK(100, 0.1, 0.9), UInt64)') ORDER BY k;
-- error: CANNOT_READ_ALL_DATA
SELECT finalizeAggregation(CAST(unhex('010300') AS AggregateFunction(quantileTiming, UInt64)));
