-- States of sumMap, minMap and maxMap are ClickHouse's bytes, both ways.
SELECT hex(sumMapState([1::UInt8, 2, 2], [2::UInt8, 3, 4])), hex(sumMapState(['b', 'a'], [1.5, 2])), hex(sumMapState([]::Array(UInt8), []::Array(UInt8)));
SELECT hex(sumMapState([number::UInt8, 7], [number::Int8, -1])) FROM numbers(3);
SELECT hex(sumMapState([1::UInt8], [1::UInt8])) FROM numbers(0);
SELECT hex(sumMapState([2::UInt8, 1], [1::UInt8, 0], [5::UInt16, 6])), hex(sumMapState(([1::UInt8], [2::UInt8]))), hex(sumMapStateIf([1::UInt8], [1::UInt8], 1));
SELECT hex(sumMapWithOverflowState([1::UInt8], [200::UInt8])), hex(sumMapFilteredState([1, 2]::Array(UInt8))([1::UInt8, 3], [200::UInt8, 1]));
SELECT hex(minMapState([1::UInt8, 2], [2::UInt8, 3])), hex(minMapState(['a', 'b'], ['x', 'y'])), hex(maxMapState([1::UInt8], [2.5::Float32])), hex(maxMapState([1::UInt8], [toDecimal32(1, 2)]));
SELECT hex(sumMapState(map('b', 1::UInt16, 'a', 2))), hex(maxMapState(map('a', 'x'))), hex(avgMapState(map(1::UInt8, 1::UInt8))), hex(countMapState(map('a', 1)));
SELECT finalizeAggregation(CAST(unhex('02016100000000000000400162000000000000F83F') AS AggregateFunction(sumMap, Array(String), Array(Float64))));
SELECT finalizeAggregation(CAST(unhex('02010200000000000000020300000000000000') AS AggregateFunction(1, minMap, Array(UInt8), Array(UInt8))));
SELECT sumMapMerge(s) FROM (SELECT CAST(unhex(h) AS AggregateFunction(sumMap, Array(UInt8), Array(UInt8))) AS s FROM values('h String', ('01010200000000000000'), ('00'), ('02010100000000000000020700000000000000')));
SELECT maxMapMerge(s) FROM (SELECT CAST(unhex(h) AS AggregateFunction(maxMap, Map(String, String))) AS s FROM values('h String', ('010161020000007800'), ('010161020000007900')));
INSERT INTO FUNCTION file('states.native', 'Native') SELECT number % 2 AS k, sumMapState([number::UInt8], [number]) AS s, minMapState([1::UInt8], [toString(number)]) AS m FROM numbers(5) GROUP BY k ORDER BY k SETTINGS engine_file_truncate_on_insert = 1;
SELECT k, sumMapMerge(s), minMapMerge(m) FROM file('states.native', 'Native', 'k UInt8, s AggregateFunction(sumMap, Array(UInt8), Array(UInt64)), m AggregateFunction(minMap, Array(UInt8), Array(String))') GROUP BY k ORDER BY k;
-- error: CANNOT_READ_ALL_DATA
SELECT finalizeAggregation(CAST(unhex('010102') AS AggregateFunction(sumMap, Array(UInt8), Array(UInt8))));
SELECT toTypeName(sumMapState([1], [1])), toTypeName(minMapState(([1], [1]))), toTypeName(sumMapFilteredState([1])([1], [1])), toTypeName(sumMapState(map(1, 1))), toTypeName(maxMapIfState([1], [1], 1));
CREATE TABLE kept (a AggregateFunction(sumMap, Array(UInt8), Array(UInt8)), b AggregateFunction(sumMap, Map(UInt8, UInt8))) ENGINE = MergeTree ORDER BY tuple();
SELECT type FROM system.columns WHERE database = currentDatabase() AND table = 'kept' ORDER BY position;
INSERT INTO kept SELECT sumMapState([1::UInt8], [2::UInt8]), sumMapState(map(1::UInt8, 3::UInt8)) FROM numbers(2);
SELECT sumMapMerge(a), sumMapMerge(b) FROM kept;
