CREATE TABLE t (a UInt8, n Nullable(String) COMMENT 'c', arr Array(UInt8), tup Tuple(x UInt8, y Nullable(String)) CODEC(ZSTD(1)), m Map(String, UInt8), nest Nested(k UInt8, v String), aa Array(Array(Nullable(UInt8))), u Tuple(UInt8, String), lc LowCardinality(Nullable(String)), an Array(Tuple(p UInt8, q Array(UInt8))), s String, tt Tuple(w Tuple(v UInt8))) ENGINE = MergeTree ORDER BY a;
DESCRIBE TABLE t SETTINGS describe_include_subcolumns = 1;
DESCRIBE TABLE t SETTINGS describe_compact_output = 1;
DESCRIBE TABLE t SETTINGS describe_include_subcolumns = 1, describe_compact_output = 1;
DESCRIBE (SELECT 1 AS a, [1] AS b, NULL::Nullable(UInt8) AS c, tuple(1, 'x') AS d) SETTINGS describe_include_subcolumns = 1;
INSERT INTO t (a, n, arr, tup, m, `nest.k`, `nest.v`, aa, u, lc, an, s, tt) VALUES (1, NULL, [1, 2], (1, 'yy'), {'k': 1}, [1], ['vv'], [[1, NULL], []], (1, 'uuu'), 'l', [(1, [1, 2])], 'ssss', tuple(tuple(9)));
SELECT n.null, n.size, arr.size0, tup.y.null, tup.y.size, m.size0, m.keys.size, nest.v.size, aa.size0, aa.size1, aa.null, an.q.size1, s.size, tt.w.v FROM t;
