-- Lambdas over `[]`: there is no element, so nothing has to be compared.
SELECT arrayFilter(x -> x = 'a', []), arrayFilter(x -> x != '', []), arrayFilter(x -> x LIKE 'a%' OR x = 'b', []);
SELECT arrayExists(x -> x = 'a', []), arrayAll(x -> x = 'a', []), arrayCount(x -> 'a' < x, []), arrayFirstIndex(x -> x = 'a', []);
SELECT arrayMap(x -> x = 'a', []), toTypeName(arrayMap(x -> x = 'a', [])), arrayMap(x -> x BETWEEN 'a' AND 'b', []);
SELECT arrayFilter(x -> x.1 = 1, []), arrayMap(x -> nullIf(x, 'a'), []), arrayMap(x -> x <=> 'a', materialize([]));
SELECT arrayFilter(x -> toString(x) = 'a', []), arrayMap(x -> CASE x WHEN 'a' THEN 1 ELSE 2 END, []);
-- Such an element in another type is the default of that.
SELECT CAST([][1] AS UInt8), CAST([][1] AS Nullable(UInt8)), CAST(materialize([])[1] AS String), [[][1], 1], if(materialize(1), [][1], 'a');
-- What has no Nullable has no `OrNull`.
-- error: ILLEGAL_TYPE_OF_ARGUMENT
SELECT arrayFirstOrNull(x -> NULL, [[1], [2]]);
-- error: ILLEGAL_TYPE_OF_ARGUMENT
SELECT arrayLastOrNull(x -> 1, [map('a', 1)]);
-- What all arrays have is of the narrowest type, and NULL only where all have NULL; what the first has is of its own type.
SELECT toTypeName(arrayIntersect([256, -1], [])), toTypeName(arrayIntersect([1.5], [1])), toTypeName(arrayIntersect(['a', NULL], ['a'])), arrayIntersect([true], [NULL, 1]);
SELECT toTypeName(arrayExcept(['a'], ['b', NULL])), arrayExcept(materialize([1, 2]), [2, NULL]) AS x, toTypeName(x);
