SELECT min(number), max(number) FROM numbers(5);
SELECT min(toString(number)), max(toString(number)) FROM numbers(12);
SELECT min(toDate('2024-01-01') + number), max(toDateTime('2024-01-01 00:00:00') + number) FROM numbers(5);
SELECT min(x), max(x) FROM (SELECT arrayJoin([1.5, nan, 2.5]) AS x);
SELECT min((number % 2, number)), max((number % 2, number)) FROM numbers(5);
SELECT min([number]), max([number]) FROM numbers(3);
SELECT argMin(number, -number), argMax(toString(number), number % 3) FROM (SELECT number FROM numbers(3));
SELECT any(7), anyLast(7), first_value(7) FROM numbers(3);
SELECT min(toDecimal32(number, 2)), max(toUInt8(number)), toTypeName(min(toUInt8(number))) FROM numbers(3);
SELECT argMax((number, 'x'), number) FROM numbers(3);
-- Behind an operator, too; before a query it is a quantifier.
SELECT count() * any(number), 2 * any(number), 1 + (any(number)) FROM numbers(1);
SELECT 0 = any(number), any(number) = 0 FROM numbers(1);
SELECT 1 = ANY (SELECT number FROM numbers(3)), 5 = ANY ((SELECT number FROM numbers(3)));
