SELECT arrayFilter(x -> 2 * x > 0, []), toTypeName(arrayFilter(x -> 2 * x > 0, []));
SELECT arrayMap(x -> x + 1, []), toTypeName(arrayMap(x -> toString(x), []));
SELECT arrayMap((x, y) -> x + y, [], []);
-- error: TOO_LARGE_ARRAY_SIZE
SELECT arrayWithConstant(96142475, ['qMUF']);
SELECT length(arrayWithConstant(1000000, 'abc')), arrayWithConstant(3, [1, 2]);
