-- The elements of `[]` have no type; what compares them with a text gives nothing too.
SELECT arrayFilter(x -> x = 'a', []), arrayExists(x -> x = 'a', []), arrayCount(x -> x != 'a', []);
SELECT arrayMap(x -> x > 'b', []), toTypeName(arrayMap(x -> 'b' <= x, []));
SELECT arrayFilter(x -> x = 'a' AND x != 'b', []), arrayFilter(x -> not (x = 'a'), []), arrayFilter(x -> x = toString(1), []);
SELECT arrayElementOrNull(map('a', 1), 'a'), arrayElementOrNull(map('a', 1), 'b'), arrayElementOrNull(materialize(map(1, 'x')), 2);
