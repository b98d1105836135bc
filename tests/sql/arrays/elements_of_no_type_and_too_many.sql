SELECT arrayFilter(x -> 2 * x > 0, []), toTypeName(arrayFilter(x -> 2 * x > 0, []));
SELECT arrayMap(x -> x + 1, []), toTypeName(arrayMap(x -> toString(x), []));
SELECT arrayMap((x, y) -> x + y, [], []);
-- error: TOO_LARGE_ARRAY_SIZE
SELECT arrayWithConstant(96142475, ['qMUF']);
SELECT length(arrayWithConstant(1000000, 'abc')), arrayWithConstant(3, [1, 2]);
SELECT arrayFilter(x -> x > 1 AND x < 5, []), arrayFilter(x -> NOT (x > 1), []), arrayFilter(x -> x BETWEEN 1 AND 2, []), arrayFilter(x -> x IS NOT NULL AND x > 1, []);
SELECT arrayMap(x -> CASE x WHEN 1 THEN 'a' ELSE 'b' END, []), arrayMap(x -> arrayExists(y -> y = x OR y > 1, [1, 2]), []);
