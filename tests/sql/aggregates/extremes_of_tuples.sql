-- NULL and NaN within tuples, arrays and maps are neither the smallest nor the largest.
SELECT min((b, a)), max((b, a)) FROM VALUES('a String, b Nullable(Int8)', ('a', 1), ('d', NULL), ('b', 0));
SELECT argMin(a, (b, a)), argMax(a, (b, a)) FROM VALUES('a String, b Nullable(Int8)', ('a', 1), ('d', NULL), ('b', 0));
SELECT min((b, a)), max((b, a)) FROM VALUES('a String, b Nullable(Int8)', ('d', NULL), ('b', NULL));
SELECT min([b]), max([b]) FROM VALUES('b Nullable(Int8)', (1), (NULL), (0));
SELECT min((b, a)), max((b, a)) FROM VALUES('a String, b Float64', ('a', 1), ('d', nan), ('b', 0));
SELECT min([b]), max([b]) FROM VALUES('b Float64', (1), (nan), (0));
SELECT min(map('a', b)), max(map('a', b)) FROM VALUES('b Nullable(Int8)', (1), (NULL), (0));
SELECT minOrNull((b, a)), minIf((b, a), 1), minArray([(b, a)]) FROM VALUES('a String, b Nullable(Int8)', ('a', 1), ('d', NULL), ('b', 0));
