-- LowCardinality within arrays, tuples and maps: most functions do not see it, those that put values together or take them apart do.
CREATE TABLE u (id UInt32, s Array(LowCardinality(String)), m Map(LowCardinality(String), LowCardinality(String)), t Tuple(LowCardinality(String), UInt8), l LowCardinality(String), n LowCardinality(Nullable(String)), aa Array(Array(LowCardinality(String)))) ENGINE = MergeTree ORDER BY id;
INSERT INTO u VALUES (0, ['b', 'a'], {'b': 'x', 'a': 'y'}, ('a', 1), 'x', 'y', [['a'], ['b']]);
SELECT arrayReverse(s), arraySort(s), arrayConcat(s, s), arraySlice(s, 1, 1), arrayPushFront(s, l), arrayMap(x -> x, s), arrayFilter(x -> x = 'a', s) FROM u FORMAT TSVWithNamesAndTypes;
SELECT s[1], m['a'], mapKeys(m), mapValues(m), m.keys, t.1, aa[1], arrayFlatten(aa), arrayFirst(x -> 1, s) FROM u FORMAT TSVWithNamesAndTypes;
SELECT tuple(l, 1), [l, 'a'], map(l, l), materialize(s), identity(m), tuple(s), array(s), emptyArrayToSingle(s) FROM u FORMAT TSVWithNamesAndTypes;
SELECT if(id = 0, s, s), multiIf(id = 0, t, t), coalesce(s), assumeNotNull(s), arrayZip(s, s), arrayResize(s, 3), tupleConcat(t, t) FROM u FORMAT TSVWithNamesAndTypes;
SELECT mapFilter((k, v) -> v = 'x', m), mapApply((k, v) -> (v, k), m), mapSort(m), mapSort((k, v) -> v, m), mapConcat(m, m), mapUpdate(m, m), mapFromArrays(s, s) FROM u FORMAT TSVWithNamesAndTypes;
SELECT arrayJoin(s) AS e, toTypeName(e) FROM u ORDER BY e;
SELECT arrayMap(x -> toTypeName(x), s), arrayMap(x -> (x, l), s) FROM u FORMAT TSVWithNamesAndTypes;
SELECT least(l, 'a'), greatest(l, 'a'), least(l, l), greatest(l, l), transform(l, ['x'], ['z'], 'q'), transform(l, ['x'], [1], 0) FROM u FORMAT TSVWithNamesAndTypes;
SELECT lagInFrame(l) OVER (ORDER BY id) AS a, first_value(l) OVER () AS b, nth_value(n, 1) OVER () AS c FROM u FORMAT TSVWithNamesAndTypes;
SELECT greatest(toInt64(5), countSubstrings(l, 'x')) AS g FROM u FORMAT TSVWithNamesAndTypes;
