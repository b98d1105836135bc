SELECT randomHadamardTransform([1., 0, 0, 0]) AS x, toTypeName(x), randomHadamardTransform([0., 1, 0, 0]), randomHadamardTransform([0., 0, 1, 0]), randomHadamardTransform([0., 0, 0, 1]), randomHadamardTransform([]::Array(Float64)), randomHadamardTransform([5.]);
SELECT arrayMap(v -> round(v, 9), randomHadamardTransform([1., 2, 3, 4, 5, 6, 7, 8])), arrayMap(v -> round(v, 9), randomHadamardTransform([1., 2, 3, 4, 5], 1)), arrayMap(v -> round(v, 9), randomHadamardTransform([1., 2, 3], -1));
SELECT arrayMap(v -> round(v, 4), randomHadamardTransform([1, 2, 3, 4]::Array(Float32))) AS x, toTypeName(x), arrayMap(v -> round(v, 4), randomHadamardTransform([1, 2, 3, 4]::Array(Float32), 7, 2));
SELECT arrayMap(v -> round(v, 9), randomHadamardTransform([1., 2, 3], 7, 2)), arrayMap(v -> round(v, 9), randomHadamardTransform([1., 2, 3], 7, 3));
SELECT length(v) AS n, arrayMap(x -> round(x, 9), randomHadamardTransform(v, 3)) FROM (SELECT arrayMap(x -> toFloat64(x * x % 11), range(number)) AS v FROM values('number UInt64', 6, 12, 14, 20, 24, 40, 63)) ORDER BY n;
SELECT arrayMap(x -> round(x, 9), randomHadamardTransform(arrayMap(x -> toFloat64(x), range(67)), 0, 2)), arrayMap(x -> round(x, 9), randomHadamardTransform(arrayMap(x -> toFloat64(x), range(24)), 0, 3)), arrayMap(x -> round(x, 9), randomHadamardTransform(arrayMap(x -> toFloat64(x), range(14)), 0, 3));
-- error: ARGUMENT_OUT_OF_BOUND
SELECT randomHadamardTransform([1., 2, 3], 7, 5);
-- error: ARGUMENT_OUT_OF_BOUND
SELECT randomHadamardTransform([1., 2, 3], 7, 0);
-- error: ILLEGAL_TYPE_OF_ARGUMENT
SELECT randomHadamardTransform([1, 2, 3]);
-- error: ILLEGAL_COLUMN
SELECT randomHadamardTransform([1., 2, 3], materialize(1));
-- error: BAD_ARGUMENTS
SELECT randomHadamardTransform(arrayMap(x -> toFloat64(x), range(67)));
