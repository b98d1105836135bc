-- `c ? a : b` among casts, arrays, subscripts and other operators.
SELECT 1 ? [1, 2] : [3], 1?[1,2][1]:3, [10, 20][1 ? 2 : 1], [10, 20, 30][number % 2 ? number : 3] FROM numbers(2);
SELECT 1 ? 1::UInt8 : 2::UInt16 AS a, toTypeName(a), 1 ?1::UInt8:2::UInt16, 1?'a':'b', 1 ? 1.5 : .5, 1 ?.5:1;
SELECT number % 2 == 0 ? number : NULL AS n, number % 2 != 0 ? toString(number) : NULL AS text, (n, text) FROM numbers(3);
SELECT arrayMap(x -> x ? 1 : 0, [0, 1]), 1 ? (0 ? 'a' : 'b') : 'c', (1 ? 2 : 3 AS x) + x;
SELECT 0 OR 1 ? 2 : 3, 1 BETWEEN 0 AND 2 ? 'in' : 'out', 3 IN (1, 2) ? 'in' : 'out', NOT 1 ? 'yes' : 'no', 1 IS NULL ? 1 : 2;
SELECT 1 ? 'a' : 'b' || 'c', 1 ? -1 : -2, (1 ? (1, 'a') : (2, 'b')).2, 1 ? map('a', 1)['a'] : 2;
SELECT CASE WHEN 1 ? 0 : 1 THEN 1 ELSE 2 END, a ? b : a FROM (SELECT 1 AS a, 2 AS b);
-- Names that are words of types, before the colon.
SELECT number, number % 2 == 0 ? number : NULL AS nullable_number, number % 2 != 0 ? text : NULL AS nullable_text, leftPad(toString(number), number, '.') AS text FROM numbers(4);
WITH 1 AS date, 'a' AS json, 'b' AS string, 'c' AS time SELECT number % 2 == 1 ? date : 2, number % 2 == 1 ? json : NULL, [number % 2 == 1 ? string:string], number % 2 == 1 ? time : 'x' FROM numbers(2);
SELECT number % 2 == 1 ? NULL : true, number % 2 == 1 ? true : false, number % 2 == 1 ? CURRENT_DATE > '2020-01-01' : false FROM numbers(2);
