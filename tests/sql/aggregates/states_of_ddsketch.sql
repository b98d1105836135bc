-- States of quantileDD are ClickHouse's bytes, both ways.
SELECT hex(quantileDDState(0.01, 0.5)(number)) FROM numbers(0);
SELECT hex(quantileDDState(0.01, 0.5)(number)), hex(quantileDDState(0.1, 0.5)(if(number = 1, NULL, -number))), hex(quantilesDDState(0.2, 0.5, 0.9)(number)) FROM numbers(4);
SELECT hex(quantileDDState(0.01, 0.5)(number)) FROM numbers(50);
SELECT hex(quantileDDState(0.01, 0.5)(exp(log(1.01 / 0.99) * (x + 0.5)))) FROM (SELECT arrayJoin([10, 11, 12, 14]) AS x);
SELECT hex(quantileDDState(0.01, 0.5)(exp(log(1.01 / 0.99) * (x + 0.5)))) FROM (SELECT arrayJoin([10, 11, 13]) AS x);
SELECT round(finalizeAggregation(CAST(unhex('02FD4A815ABF52F03F000000000000000001040314000000000000F03F02000000000000F03F04000000000000F03F030C00FEFFFFFF0F02040000000000000000') AS AggregateFunction(quantileDD(0.01, 0.5), Float64))), 6);
SELECT round(quantileDDMerge(0.01, 0.5)(CAST(unhex(h) AS AggregateFunction(quantileDD(0.01, 0.5), UInt64))), 6) FROM values('h String', ('02FD4A815ABF52F03F000000000000000001040200000000000000F03F44000000000000F03F030C00FEFFFFFF0F0204000000000000F03F'), ('02FD4A815ABF52F03F0000000000000000010C00FEFFFFFF0F02030C00FEFFFFFF0F02040000000000000000'));
INSERT INTO FUNCTION file('sketches.native', 'Native') SELECT quantilesDDState(0.01, 0.1, 0.9)(number) AS g FROM numbers(2000) SETTINGS engine_file_truncate_on_insert = 1;
SELECT arrayMap(x -> round(x, 4), finalizeAggregation(g)) FROM file('sketches.native', 'Native', 'g AggregateFunction(quantilesDD(0.01, 0.1, 0.9), UInt64)');
-- error: CANNOT_READ_ALL_DATA
SELECT finalizeAggregation(CAST(unhex('02FD4A815ABF52F03F0000000000000000') AS AggregateFunction(quantileDD(0.01, 0.5), UInt64)));
