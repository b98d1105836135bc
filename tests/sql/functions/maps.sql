SELECT map('a', 1, 'b', 2) AS m, m['a'], m['c'], length(m), mapKeys(m), mapValues(m), mapContains(m, 'a'), mapContains(m, 'z');
SELECT mapFromArrays(['a', 'b'], [1, 2]), mapAdd(map('a', 1), map('a', 2, 'b', 3)), mapSubtract(map('a', 5), map('a', 2)), mapConcat(map('a', 1), map('b', 2));
SELECT mapFilter((k, v) -> v > 1, map('a', 1, 'b', 2)), mapApply((k, v) -> (k, v * 10), map('a', 1)), mapUpdate(map('a', 1), map('a', 9, 'b', 2)), mapExists((k, v) -> v = 2, map('a', 2)), mapAll((k, v) -> v = 2, map('a', 2));
-- gap: Function with name 'mapSort' does not exist. (UNKNOWN_FUNCTION)
SELECT mapSort(map('b', 1, 'a', 2));
-- gap: Function with name 'mapReverseSort' does not exist. Maybe you meant: ['arrayReverseSort']. (UNKNOWN_
SELECT mapReverseSort(map('a', 1, 'b', 2));
-- gap: Function with name 'mapContainsKeyLike' does not exist. Maybe you meant: ['mapContainsKey']. (UNKNOW
SELECT mapContainsKeyLike(map('abc', 1), 'a%');
-- gap: Function with name 'mapExtractKeyLike' does not exist. (UNKNOWN_FUNCTION)
SELECT mapExtractKeyLike(map('abc', 1, 'xyz', 2), 'a%');
-- gap: Function with name 'mapPopulateSeries' does not exist. (UNKNOWN_FUNCTION)
SELECT mapPopulateSeries(map(1, 10, 3, 30));
SELECT sumMap(map('a', number, 'b', 1)) FROM numbers(3);
SELECT toTypeName(map('a', 1)), CAST((['a'], [1]), 'Map(String, UInt8)'), map(1, 'x')[1], map();
SELECT m['x'] FROM (SELECT map('x', number) AS m FROM numbers(3)) ORDER BY 1;
-- gap: Function with name 'str_to_map' does not exist. Maybe you meant: ['str_to_date']. (UNKNOWN_FUNCTION)
SELECT str_to_map('a:1,b:2', ',', ':') SETTINGS allow_experimental_analyzer = 1;
SELECT mapSort((k, v) -> v, map('b', 1, 'a', 2)), mapReverseSort((k, v) -> v, map('b', 1, 'a', 2)), mapContainsValueLike(map('a', 'abc'), 'a%'), mapExtractValueLike(map('a', 'abc', 'b', 'x'), 'a%');
SELECT mapPopulateSeries(map(1, 10, 3, 30), 5), mapPopulateSeries(map(1, 10, 3, 30), 2), mapPopulateSeries(map(3, 1, 1, 5)), mapPopulateSeries([1, 3], [10, 30]), mapPopulateSeries([1, 3], [10, 30], 5);
