-- NULL for an array
SELECT arrayPushBack(NULL, 1) AS a, arrayPushFront(NULL, NULL) AS b, arraySlice(NULL, 1) AS c, arraySlice(NULL, 1, 2) AS d, toTypeName(a), toTypeName(b), toTypeName(c), toTypeName(d);
SELECT arrayMap(NULL) AS a, arrayMap(1, NULL) AS b, arrayFilter(NULL, [1]) AS c, arrayFirst(1, NULL) AS d, mapApply(NULL) AS e, mapFilter('a', NULL) AS f, mapAll(NULL), mapExists(1, NULL), toTypeName(a), toTypeName(f);
-- error: ILLEGAL_TYPE_OF_ARGUMENT
SELECT arrayMap(x -> x, NULL);
-- error: ILLEGAL_TYPE_OF_ARGUMENT
SELECT arrayMap(1, [1]);
-- NULL looked for
SELECT has(map('k', 1), NULL), has(map(1, 2), NULL), has(map('k', 1), CAST(NULL, 'Nullable(String)')), has(map('k', 1), toNullable('k')), notHas([1, 2, 3], NULL) AS a, notHas([1, NULL], NULL), notHas(map('k', 1), 'k'), notHas(map('k', 1), NULL), notHas([1, 2], toNullable(1)), toTypeName(a);
SELECT mapContainsKey(map('k', 1), NULL) AS a, toTypeName(a), mapContainsKey(map('k', 1), toNullable('k')) AS b, toTypeName(b), mapContains(map('k', 1), CAST(NULL, 'Nullable(String)'));
SELECT mapContainsValue(map('k', 1), NULL) AS a, toTypeName(a), mapContainsValue(map('k', NULL), NULL), mapContainsValue(map('k', 1, 'l', NULL), NULL), mapContainsValue(map('k', 1, 'l', NULL), 1), mapContainsValue(map('k', 1), toNullable(1));
SELECT indexOfAssumeSorted([1, 2, 3], NULL) AS a, toTypeName(a), indexOfAssumeSorted([1, 2, NULL], NULL), indexOfAssumeSorted([1, 2, 3], toNullable(2)) AS b, toTypeName(b), indexOfAssumeSorted([1, 2, 3], CAST(NULL, 'Nullable(Int32)'));
SELECT k, mapContainsKey(m, k), mapContainsValue(m, k), has(m, k), notHas(m, k) FROM (SELECT materialize(map('a', 'b', 'c', NULL)) AS m, arrayJoin(['a', 'b', 'x', NULL]) AS k);
-- error: ILLEGAL_TYPE_OF_ARGUMENT
SELECT notHas(NULL, 1);
-- Values of other types in maps
SELECT mapContainsValue(map('k', 1), 1.5), mapContainsValue(map('k', 1), 257), mapContainsValue(map('k', 1), -1), mapContainsValue(map('k', 1), 1), mapContainsValue(map('k', 1), toDecimal64('1.23', 2)), mapContainsKey(map(1, 1), 1.5), mapContainsKey(map(1, 1), 257), mapContainsKey(map(true, 1), 1), mapContainsKey(map('k', 1), toFixedString('k', 2));
-- What is removed says nothing of the type
SELECT arrayRemove([1, 2, 3], -3) AS a, toTypeName(a), arrayRemove([1, 2, 3], toUInt64(2)) AS b, toTypeName(b), arrayRemove([1, 2, 3], 1.5) AS c, toTypeName(c), arrayRemove([1, 2, 3], NULL) AS d, toTypeName(d), arrayRemove(['a', 'b'], NULL) AS e, toTypeName(e), arrayRemove([1, 2, 3], toDateTime(2, 'UTC')) AS f, toTypeName(f);
SELECT arrayRemove([1.5, nan], nan), arrayRemove([1, NULL, 3], NULL), arrayRemove([1, NULL, 3], 3), arrayRemove([true, false], 1), arrayRemove([[1], [2]], [1]), arrayRemove([(1, 'a'), (2, 'b')], (1, 'a')), arrayRemove([], 1) AS a, toTypeName(a);
SELECT arrayRemove(a, n), toTypeName(arrayRemove(a, n)) FROM (SELECT [number, 1, 2] AS a, if(number = 2, NULL, number) AS n FROM numbers(3));
-- error: NO_COMMON_TYPE
SELECT arrayRemove([1, 2, 3], 'a');
-- Lengths with a fraction
SELECT arrayResize([1, 2, 3], 1.5), arrayResize([1, 2, 3], toDecimal64('-1.9', 2)), arrayResize(['a', 'b'], materialize(1.7)), arrayResize([1, 2, 3], toFloat64(-1.5)), arrayWithConstant(1.9, 1) AS a, arrayWithConstant(materialize(2.5), 'a'), toTypeName(a);
-- error: TOO_LARGE_ARRAY_SIZE
SELECT arrayWithConstant(-1.5, 1);
-- error: ILLEGAL_TYPE_OF_ARGUMENT
SELECT arrayWithConstant(toDecimal64('1.9', 2), 1);
-- Without a limit all is in order
SELECT arrayPartialReverseSort(-3, [1, 2, 3]), arrayPartialSort(0, [5, 1, 3, 2]), arrayPartialSort(-1, [5, 1, 3, 2]), arrayPartialSort(x -> -x, -1, [5, 1, 3, 2]), mapPartialSort(-1, map(3, 1, 1, 2, 2, 3)), mapPartialReverseSort((k, v) -> v, -1, map(1, 1, 3, 2, 2, 3));
-- Maps
SELECT concat(map('k', 1), map('k', 1)) AS a, toTypeName(a), concat(map('k', 1), map('l', 2.5)), concat(map('k', 1)), concat(map('k', 1), 'a'), concat((1, 2), (3, 4)) AS b, toTypeName(b), concat([1, 2]) AS c, toTypeName(c);
SELECT mapConcat(map('k', 1)) AS a, toTypeName(a), mapFromArrays(map('k', 1), map('k', 1)) AS b, toTypeName(b), mapFromArrays(map('k', 1), [2]);
SELECT arrayJoin(map('k', 1)) AS a, toTypeName(a), a.keys, a.values;
SELECT m, m.keys, toTypeName(m) FROM (SELECT map('k', 1, 'l', 2) AS a) ARRAY JOIN a AS m;
-- Nothing at all
SELECT arrayZip() AS a, toTypeName(a), coalesce() AS b, toTypeName(b);
SELECT range(true) AS a, toTypeName(a), range(false, true), range(0, true) AS b, toTypeName(b), range(materialize(true)), range(true, 5);
-- Texts beside numbers
SELECT nullIf('1', materialize(2)) AS a, toTypeName(a), nullIf('2', materialize(2)), nullIf(materialize(2), '2') AS b, toTypeName(b), nullIf(materialize(1.5), '1.5'), nullIf(materialize(toNullable(2)), '3');
-- Defaults of settings
SELECT getSettingOrDefault('abc', toUInt64(2)) AS a, toTypeName(a), getSettingOrDefault('abc', toInt64(200)) AS b, toTypeName(b), getSettingOrDefault('abc', toFloat32(2.5)) AS c, toTypeName(c), getSettingOrDefault('abc', true) AS d, toTypeName(d);
SELECT getSettingOrDefault('abc', toDate('2024-02-29')) AS a, toTypeName(a), getSettingOrDefault('abc', toDate32('1924-02-29')) AS b, toTypeName(b), getSettingOrDefault('abc', toDateTime64('2024-05-17 13:37:42.123', 3, 'UTC')) AS c, toTypeName(c), getSettingOrDefault('abc', CAST('a', 'Enum8(\'a\' = 3)')) AS d, toTypeName(d), getSettingOrDefault('abc', 'x') AS e, toTypeName(e);
SELECT getSettingOrDefault(1, NULL), getSettingOrDefault('max_block_size', NULL), getSettingOrDefault(NULL, 1), getSetting(NULL), currentSchemas(NULL), getMacro(NULL);
-- error: ILLEGAL_TYPE_OF_ARGUMENT
SELECT getSettingOrDefault('abc', materialize(1));
SELECT polygonsWithinCartesian(1, NULL) AS a, geometryIntersectCartesian(NULL, 'a'), flipCoordinates(NULL), toTypeName(a), timeSeriesThrowDuplicateSeriesIf(1, NULL);
SELECT inIgnoreSet(1, NULL) AS a, toTypeName(a), inIgnoreSet(NULL, 1), notInIgnoreSet(1, NULL), nullInIgnoreSet(NULL, 1);
-- Members that the left side's type does not have
SELECT 'abc' IN (toDate('2024-02-29')), '19782' IN (toDate('2024-02-29')), in('abc', toDateTime('2024-05-17 13:37:42', 'UTC')), in('abc', toDecimal64('1.23', 2)), in('abc', map('k', 1)), in('abc', toInt128(5)), notIn('abc', toDateTime64('2024-05-17 13:37:42.123', 3, 'UTC')), nullIn('1', toDate('2024-02-29')), in('abc', materialize(2)), in('2', materialize(2)), in('abc', materialize(map('k', 1)));
SELECT s, s IN (toDate('2024-02-29'), '2024-02-29'), s IN (toDate32('2024-02-29')), s NOT IN (toDate('2024-02-29'), 5), s IN (toDecimal64('1.20', 2)), s IN (toUUID('61f0c404-5cb3-11e7-907b-a6006ad3dba0')) FROM (SELECT arrayJoin(['19782', '2024-02-29', '1.2', NULL]) AS s);
SELECT s, s IN (materialize(5), materialize(6)), s NOT IN (materialize(5), materialize(6)), s IN (x, 7) FROM (SELECT materialize(5) AS x, arrayJoin(['5', '7', 'a', NULL]) AS s);
SELECT x, x IN (materialize('05'), materialize('x')), x NOT IN (materialize('5'), materialize('x')), x IN (SELECT arrayJoin(['5', 'x', NULL])), x NOT IN (SELECT arrayJoin(['5', 'x'])) FROM (SELECT arrayJoin([5, 6, NULL]) AS x);
SELECT toDate('2024-02-29') IN materialize('2024-02-29'), toDate('2024-02-29') IN materialize('a'), '2024-02-29' IN materialize(toDate('2024-02-29')), 1.5 IN materialize('1.50'), 'a' IN materialize(toUUID('61f0c404-5cb3-11e7-907b-a6006ad3dba0')), toDateTime('2024-01-01 00:00:00', 'UTC') IN (materialize('2024-01-01 00:00:00'), materialize('x')), '1.2' IN materialize(toDecimal64('1.20', 2));
SELECT d IN (19723, 100000), d NOT IN (19723, 100000), d IN (toUInt64(19723), toUInt64(5)), d IN (toInt64(100000)), d IN materialize(19723), d IN materialize(2), toDate32(d) IN materialize(19723), d IN (SELECT arrayJoin(['2024-01-01', 'x'])) FROM (SELECT arrayJoin([toDate('2024-01-01')]) AS d);
-- error: TYPE_MISMATCH
SELECT 5 IN ('a', '6');
-- An array among others, or one
SELECT [1, 2, 3] IN [1, 2, 3], ['a', 'b'] IN ['a', 'b'], [1] IN [1, 2], [1] IN [[1], [2]], [1] IN ([1], [2]), [] IN [], in([1, 2, 3], [1, 2, 3]), notIn(['a', 'b'], ['a', 'b']), [NULL] IN [NULL];
SELECT materialize([1]) IN [1], materialize([1, 2]) IN [1, 2], materialize([1, 2]) NOT IN [1, 2], materialize([[1]]) IN [[1]], materialize([1]) IN [[1], [2]];
