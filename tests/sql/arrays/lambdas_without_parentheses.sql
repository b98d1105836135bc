-- The names before an arrow are all parameters, where nothing else stands before them in the call.
SELECT arraySum(x, y -> x + y, [1, 1], [1, 1]);
SELECT arrayExists(x, y -> x > y, [1, 2], [1, 1]), arrayFold(acc, x -> acc + x, [1, 2], toInt64(0));
SELECT arrayMap(x, y, z -> x + y + z, [1], [2], [3]);
SELECT arrayFirst(x, `y z` -> x < `y z`, [1, 2], [0, 3]);
SELECT sum(number), arrayMap(x, y -> (x, y), [1], [2]) FROM numbers(3);
SELECT number FROM numbers(3) WHERE arrayExists(a, b -> a = b AND a = number, [1, 2], [1, 1]);
SELECT arrayMap((x, y) -> arrayMap(z, w -> z + w + x, [1], [y]), [1], [2]);
SELECT arrayMap(x -> arraySum(y, z -> y * z * x, [1, 2], [3, 4]), [1, 10]);
SELECT arrayMap(x -> x, [1]), arrayMap((x) -> x, [2]);
