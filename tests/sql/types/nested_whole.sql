-- A Nested that is not flattened is one column of arrays of tuples, and keeps its name.
SET flatten_nested = 0;
CREATE TABLE u (id Int32, n Nested(a UInt8, `b c` String)) ENGINE = MergeTree ORDER BY id;
DESCRIBE u;
DESCRIBE u SETTINGS describe_include_subcolumns = 1;
SHOW CREATE TABLE u;
SELECT name, type FROM system.columns WHERE database = currentDatabase() AND table = 'u' ORDER BY position;
INSERT INTO u VALUES (1, [(1, 'a'), (2, 'b')]), (2, []);
INSERT INTO u (n, id) SELECT [(7, 'z')], 3;
INSERT INTO u FORMAT JSONEachRow {"id": 4, "n": [{"a": 1, "b c": "q"}]};
SELECT * FROM u ORDER BY id;
SELECT n FROM u ORDER BY id FORMAT TSVWithNamesAndTypes;
SELECT n FROM u WHERE id = 1 FORMAT JSONEachRow;
SELECT hex(formatRow('RowBinary', n)) FROM u WHERE id = 1;
SELECT id, n.a, n.`b c`, n.size0, toTypeName(n), toTypeName(n.a), toTypeName(n.size0), n[1].1 FROM u ORDER BY id;
SELECT id FROM u WHERE has(n.a, 2);
SELECT n, count() FROM u WHERE n != [(7, 'z')] GROUP BY n ORDER BY n;
SELECT id, n.a, n.`b c` FROM u ARRAY JOIN n ORDER BY id, n.a;
-- Within others.
ALTER TABLE u ADD COLUMN k Nested(x UInt8, y Nested(z String));
INSERT INTO u VALUES (5, [(9, 'i')], [(1, [tuple('p')])]);
SELECT id, k, k.x, k.y, k.y.z, toTypeName(k.y), toTypeName(k.y.z) FROM u WHERE id >= 4 ORDER BY id;
CREATE TABLE w (t Tuple(n Nested(a UInt8), s String), m Array(Nested(a UInt8)), k Nested(a Nested(b UInt8, c Tuple(q UInt8, r String)))) ENGINE = Memory;
DESCRIBE w;
INSERT INTO w VALUES (([tuple(1)], 's'), [[tuple(1)]], [tuple([(1, (2, 'r'))])]);
SELECT *, t.n, t.n.a, toTypeName(t.n), toTypeName(k.a) FROM w;
-- The other setting is of what is declared from now on.
SET flatten_nested = 1;
CREATE TABLE v AS w;
DESCRIBE v;
CREATE TABLE f (k Nested(a Nested(b UInt8), c UInt8)) ENGINE = Memory;
DESCRIBE f;
-- CAST.
SELECT CAST([(1, 'a')] AS Nested(a UInt8, b String)) AS n, n.a, n.b, n.size0, n[1], toTypeName(n), toTypeName(n[1]), length(n);
SELECT toTypeName(CAST('[(1,[])]', 'Nested(x UInt8, `y z` Array(Nested(q UInt8)))'));
SELECT toTypeName(tuple(n)), toTypeName([n]), toTypeName(arrayFilter(x -> 1, n)) FROM (SELECT CAST([(1, 'a')] AS Nested(a UInt8, b String)) AS n);
-- error: SYNTAX_ERROR
SELECT CAST([(1, 'a')], 'Nested(UInt8, String)');
-- error: EMPTY_DATA_PASSED
SELECT CAST([(1, 'a')], 'Nested');
-- error: ILLEGAL_TYPE_OF_ARGUMENT
SELECT CAST([(1, 'a')] AS Nullable(Nested(a UInt8, b String)));
