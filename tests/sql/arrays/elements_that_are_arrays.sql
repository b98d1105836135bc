SELECT arrayElementOrNull([[1], [2]], 2) AS x, arrayElementOrNull([[1], [2]], 5) AS y, toTypeName(y);
SELECT arrayElementOrNull(arrayMap(x -> range(x), range(number)), 2) FROM numbers(4);
SELECT arrayElementOrNull([map(1, 2)], 3) AS x, toTypeName(x), arrayElementOrNull(map(1, [2]), 3) AS y, toTypeName(y);
SELECT arrayElementOrNull([[1], [2]], [1, 5]), arrayElement([[1], [2]], [1, NULL]), arrayElementOrNull([1, 2], [1, NULL, 5]);
SELECT arrayElementOrNull(materialize([1, 2]), 0), arrayElementOrNull(materialize([(1, 2)]), 0);
-- error: TOO_LARGE_ARRAY_SIZE
SELECT arrayWithConstant(96142475, ['abcd']);
SELECT sipHash64(()), sipHash64((), 1), sipHash64(1, ()), sipHash64([()]), cityHash64([(), ()]), cityHash64((), 1);
SELECT tupleToNameValuePairs(CAST(NULL AS Nullable(Tuple(a Int32, b Int32)))) AS x, toTypeName(x), tupleToNameValuePairs(CAST((1, 2) AS Nullable(Tuple(a Int32, b Int32))));
SELECT tupleNames(CAST(NULL AS Nullable(Tuple(a Int32))));
-- error: ILLEGAL_TYPE_OF_ARGUMENT
SELECT transform(1, [1], ['b']);
