-- A set knows floats by their bits, so NaN is in one that has it, and the NaN of a division by zero is another.
SELECT nan IN (SELECT nan), nan NOT IN (SELECT nan), nan IN (SELECT arrayJoin([1., nan, 2.])), nan IN (nan), nan IN (1., nan);
SELECT 0 / 0 IN (SELECT 0 / 0), (0 / 0) IN (SELECT nan), nan IN (SELECT 0 / 0);
-- One that is written with a sign has none.
SELECT -nan IN (SELECT nan), reinterpretAsUInt64(-nan) = reinterpretAsUInt64(nan), reinterpretAsUInt64(negate(nan)) = reinterpretAsUInt64(nan);
SELECT x, x IN (SELECT nan), x IN (nan) FROM (SELECT arrayJoin([1., nan, -nan, inf]) AS x);
SELECT x, x IN (SELECT arrayJoin([nan, 1.])) FROM (SELECT arrayJoin([1., nan, NULL, inf]) AS x);
SELECT (nan, 1) IN (SELECT nan, 1), (1, nan) IN (SELECT 1, nan);
SELECT arrayMap(x -> x IN (SELECT nan), [nan, 1.]), arrayMap(x -> x NOT IN (SELECT nan), [nan, 1.]), arrayMap(x -> x IN (nan), [nan, 1.]);
SELECT arrayMap(x -> x IN (SELECT toFloat32(nan)), [toFloat32(nan), 1]), arrayMap(x -> x IN (SELECT arrayJoin([nan, 2.])), [nan, NULL, 1., 2.]);
SELECT count() FROM numbers(10) WHERE (number / 0) IN (SELECT number / 0 FROM numbers(2000));
