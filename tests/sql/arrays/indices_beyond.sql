SELECT [1, 2][0xFFFFFFFFFFFFFFFF], [1, 2][materialize(18446744073709551615)], arrayElementOrNull([1], 18446744073709551614), [1, 2][-1];
SELECT [number][arrayJoin([0xFFFFFFFFFFFFFFFF, 10000000000, 0, 1])] FROM numbers(2);
SELECT arrayDifference([toDateTime64('2023-04-05 00:25:23.123', 3), toDateTime64('2023-04-05 00:25:24.124', 3)]) AS x, toTypeName(x), arrayDifference([toUInt128(5), 3]) AS y, toTypeName(y), arrayDifference([toInt256(5), -3]);
SELECT x.1, x.2, tupleElement(x, 1) FROM (SELECT CAST(NULL AS Nullable(Tuple(Array(Int32), String))) AS x);
SELECT tupleElement(x, 1), tupleElement(x, 2) FROM (SELECT [CAST(([1], 'a') AS Nullable(Tuple(Array(Int32), String))), NULL] AS x);
SELECT untuple(CAST(NULL AS Nullable(Tuple(Array(Int32), String))));
SELECT tupleToNameValuePairs(CAST((1, NULL) AS Nullable(Tuple(a Nullable(Int32), b Nullable(Int32)))));
