SELECT arrayFilter(x -> 2 * x > 0, []), toTypeName(arrayFilter(x -> 2 * x > 0, []));
SELECT arrayMap(x -> x + 1, []), toTypeName(arrayMap(x -> toString(x), []));
SELECT arrayMap((x, y) -> x + y, [], []);
