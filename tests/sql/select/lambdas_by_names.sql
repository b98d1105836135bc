-- Lambdas that name one another, that are named where they stand, and that are given to lambdas.
WITH x -> x + 1 AS next, next AS again SELECT again(1), arrayMap(again, [1, 2]);
SELECT arrayMap((x -> toString(x)) AS shown, [1, 2]), arrayMap(shown, ['a']);
SELECT arrayMap((x -> x + number) AS shift, [1, 2]), arrayFilter(y -> shift(y) > 2, [1, 2]) FROM numbers(2);
WITH (f, x) -> f(f(x)) AS twice, x -> x * 3 AS triple SELECT twice(triple, 1), twice(triple, 2);
WITH (f, xs) -> arrayMap(f, xs) AS mapped, x -> x * 3 AS triple SELECT mapped(triple, [1, 2]);
