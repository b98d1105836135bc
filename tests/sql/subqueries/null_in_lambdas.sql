-- NULL as a value of a set that a lambda asks.
SET transform_null_in = 1;
SELECT arrayMap(x -> x IN (1, NULL), [1, NULL, 2]), arrayMap(x -> x NOT IN (1, NULL), [1, NULL, 2]), arrayMap(x -> x IN (1, 2), [1, NULL, 2]);
SELECT arrayMap(x -> x IN (SELECT arrayJoin([1, NULL])), [1, NULL, 2]), arrayMap(x -> x NOT IN (SELECT arrayJoin([1, NULL])), [1, NULL, 2]);
SELECT arrayMap(x -> x IN (SELECT arrayJoin([1, 5])), [1, NULL, 2]), arrayFilter(x -> x IN (SELECT arrayJoin(['a', NULL])), ['a', NULL, 'b']);
SELECT arrayMap(x -> NULL IN (SELECT NULL), [1, NULL, 2]);
SELECT arrayMap((x, y) -> x IN (y, NULL), [1, NULL, 2], [1, 2, 3]);
SELECT number, arrayMap(x -> x IN (SELECT if(number = 1, NULL, number) FROM numbers(3)), [number, NULL]) FROM numbers(3) ORDER BY number;
SET transform_null_in = 0;
SELECT arrayMap(x -> x IN (SELECT arrayJoin([1, NULL])), [1, NULL, 2]);
