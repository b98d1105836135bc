-- ANY joins by alternatives and by comparisons, INTERPOLATE by columns that are not selected, sets in lambdas, joinGet, and the names
-- of parameters that are containers.
CREATE TABLE l (k UInt32, a Int32, s String) ENGINE = Memory;
CREATE TABLE r (k UInt32, b Int32, t String) ENGINE = Memory;
INSERT INTO l VALUES (1, 10, 'x'), (2, 20, 'y'), (3, 30, 'z'), (3, 31, 'zz'), (4, 40, 'w');
INSERT INTO r VALUES (1, 10, 'x1'), (1, 11, 'x2'), (3, 29, 'z1'), (3, 31, 'z2'), (5, 50, 'v'), (2, 100, 'y1');
SELECT l.k, a, b FROM l ANY LEFT JOIN r ON l.k = r.k OR l.a = r.b ORDER BY l.k, a;
SELECT l.k, a, b FROM l ANY LEFT JOIN r ON l.k = r.k OR (l.a = r.b AND l.k < 3) ORDER BY l.k, a;
SELECT l.k, a, b FROM l ANY LEFT JOIN r ON l.k = r.k AND (l.a < r.b OR l.s = r.t) ORDER BY l.k, a;
SELECT l.k, a, b FROM l ANY LEFT JOIN r ON l.k = r.k AND l.a < r.b ORDER BY l.k, a;
SELECT l.k, a, b FROM l ANY LEFT JOIN r ON l.k = r.k AND l.a + r.b > 60 ORDER BY l.k, a;
SELECT l.k, a, b FROM l ANY LEFT JOIN r ON l.k = r.k AND l.a < r.b ORDER BY l.k, a SETTINGS join_use_nulls = 1;
SELECT * FROM l ANY LEFT JOIN r ON l.k = r.k AND l.a < r.b ORDER BY l.k, a;
SELECT count() FROM l ANY LEFT JOIN r ON l.k = r.k AND l.a < r.b;
SELECT l.k, a, b FROM l ANY INNER JOIN r ON l.k = r.k AND l.a < r.b ORDER BY l.k, a;
SELECT l.k, a, b FROM l ANY INNER JOIN r ON l.k = r.k OR l.a = r.b ORDER BY l.k, a;
SELECT l.k, a, r.k, b FROM l ANY RIGHT JOIN r ON l.k = r.k AND l.a < r.b ORDER BY r.k, b;
SELECT l.k, a, r.k, b FROM l ANY RIGHT JOIN r ON l.k = r.k OR l.a = r.b ORDER BY r.k, b;
-- error: INVALID_JOIN_ON_EXPRESSION
SELECT l.k, a, b FROM l ANY LEFT JOIN r ON l.a < r.b;
-- error: INVALID_JOIN_ON_EXPRESSION
SELECT l.k, a, b FROM l ANY LEFT JOIN r ON l.k = r.k OR l.a < r.b;

SELECT n, s + 1 AS q FROM (SELECT number * 2 AS n, number AS s FROM numbers(3)) ORDER BY n WITH FILL INTERPOLATE (s AS s + 1);
SELECT n, s * 2 FROM (SELECT number * 2 AS n, number AS s FROM numbers(3)) ORDER BY n WITH FILL INTERPOLATE (s AS s + 1);
SELECT n FROM (SELECT number * 2 AS n, number AS s FROM numbers(3)) ORDER BY n WITH FILL INTERPOLATE (s AS s + 1);
SELECT n, s FROM (SELECT number * 3 AS n, number AS s, number + 5 AS z FROM numbers(3)) ORDER BY n WITH FILL INTERPOLATE (s AS z + 1);
SELECT n, s FROM (SELECT number * 3 AS n, number AS s, number + 5 AS z FROM numbers(3)) AS q ORDER BY n WITH FILL INTERPOLATE (s AS q.z + 1);
SELECT n, s FROM (SELECT number * 3 AS n, number AS s, number + 5 AS z FROM numbers(3)) ORDER BY n WITH FILL INTERPOLATE (z AS z + 10, s AS z + 1);
SELECT n, s FROM (SELECT number * 3 AS n, number AS s, 'x' AS z FROM numbers(3)) ORDER BY n WITH FILL INTERPOLATE (s AS length(z) + s);
SELECT s FROM (SELECT number * 3 AS n, number AS s FROM numbers(3)) ORDER BY n WITH FILL INTERPOLATE (s AS n);
SELECT DISTINCT n FROM (SELECT number * 3 AS n, number AS s FROM numbers(3)) ORDER BY n WITH FILL INTERPOLATE (s AS s + 1);
-- error: INVALID_WITH_FILL_EXPRESSION
SELECT s FROM (SELECT number * 3 AS n, number AS s FROM numbers(3)) ORDER BY n WITH FILL INTERPOLATE (n AS n + 1);
-- error: UNKNOWN_IDENTIFIER
SELECT n FROM (SELECT number * 3 AS n, number AS s FROM numbers(3)) ORDER BY n WITH FILL INTERPOLATE (nope AS 1);
-- error: NOT_AN_AGGREGATE
SELECT n, max(s) AS m FROM (SELECT number * 3 AS n, number AS s FROM numbers(3)) GROUP BY n ORDER BY n WITH FILL INTERPOLATE (s AS s + 1);

SELECT arrayFilter(x -> x IN (SELECT number FROM numbers(3)), [1, 2, 5]);
SELECT arrayFilter(x -> x NOT IN (SELECT number FROM numbers(3)), [1, 2, 5]);
SELECT arrayFilter(x -> x GLOBAL IN (SELECT number FROM numbers(3)), [1, 2, 5]);
SELECT number, arrayMap(x -> x IN (SELECT number * 2 FROM numbers(3)), range(number)) FROM numbers(5) ORDER BY number;
SELECT arrayFilter(x -> (x, 1) IN (SELECT number, 1 FROM numbers(3)), [1, 2, 5]);
SELECT arrayExists(x -> x IN (SELECT toString(number) FROM numbers(3)), ['1', '7']);
CREATE TABLE chosen (v UInt64) ENGINE = Memory;
INSERT INTO chosen VALUES (1), (5);
SELECT arrayFilter(x -> x IN chosen, [1, 2, 5]);
SELECT arrayCount(x -> x IN (SELECT k FROM l WHERE a > 15), [1, 2, 5]);
WITH c AS (SELECT number AS n FROM numbers(3)) SELECT arrayCount(x -> x IN c, [1, 2, 5]), arrayCount(x -> x IN (SELECT n FROM c), [1, 7]);
SELECT count() FROM numbers(10) WHERE arrayExists(x -> x IN (SELECT number FROM numbers(3)), [number, 7]);
SELECT arrayMap(x -> x IN (SELECT 1), [1, NULL]), arrayMap(x -> x NOT IN (SELECT 1), [1, 2, NULL]), arrayMap(x -> x IN (SELECT NULL), [1, NULL]);
SELECT arrayFilter(x -> x.1 IN (SELECT 'a'), [('a', 1), ('b', 2)]);
SELECT arrayMap(x -> x IN (SELECT 1.5), [1.5, 2]), arrayMap(x -> 3 IN (SELECT 3), [1, 2]), arraySort(x -> x IN (SELECT 1), [1, 2, 3]);
SELECT number, arrayFilter(x -> x IN (SELECT number FROM numbers(2000)), [number * 1000]) FROM numbers(4) ORDER BY number;
SELECT arrayMap(x -> arrayFilter(y -> y IN (SELECT number FROM numbers(3)), range(x)), [1, 5]);
SELECT arrayMap(x -> x IN (SELECT 1) OR y = x, [1, 2]) FROM (SELECT 2 AS y);
SELECT sum(arrayCount(x -> x IN (SELECT number * 3 FROM numbers(1000)), range(number))) FROM numbers(200);
SELECT sum(arrayCount(x -> x IN (SELECT toString(number * 3) FROM numbers(1000)), arrayMap(x -> toString(x), range(number)))) FROM numbers(200);
SELECT countIf(has(range(100), number * 2)), countIf(has(arrayMap(x -> toString(x), range(100)), toString(number))) FROM numbers(200);

CREATE TABLE j1 (k UInt32, v String, w Nullable(Int32), a Array(UInt8)) ENGINE = Join(ANY, LEFT, k);
INSERT INTO j1 VALUES (1, 'a', 10, [1]), (2, 'b', NULL, [2, 3]);
SELECT number, joinGet('j1', 'v', toUInt32(number)), joinGet('j1', 'w', toUInt32(number)), joinGet('j1', 'a', toUInt32(number)) FROM numbers(4) ORDER BY number;
SELECT number, joinGetOrNull('j1', 'v', toUInt32(number)), joinGetOrNull('j1', 'w', toUInt32(number)), joinGetOrNull('j1', 'a', toUInt32(number)) FROM numbers(4) ORDER BY number;
SELECT toTypeName(joinGet('j1', 'v', 1::UInt32)), toTypeName(joinGetOrNull('j1', 'v', 1::UInt32)), toTypeName(joinGetOrNull('j1', 'a', 1::UInt32));
SELECT joinGet(j1, 'v', 1::UInt32), joinGet('j1', 'v', toLowCardinality(2::UInt32));
SELECT joinGet('j1', 'v', CAST(1, 'Nullable(UInt32)')), joinGet('j1', 'v', CAST(NULL, 'Nullable(UInt32)'));
SELECT joinGet('j1', 'v', toUInt32(number)) AS g, count() FROM numbers(6) GROUP BY g ORDER BY g;
SELECT sum(joinGet('j1', 'w', toUInt32(number))) FROM numbers(6);
SELECT number FROM numbers(6) WHERE joinGet('j1', 'v', toUInt32(number)) = 'b';
SELECT arrayMap(x -> joinGet('j1', 'v', x), [1, 2, 3]::Array(UInt32));
SELECT joinGet('j1', 'v', 1::UInt32) FORMAT TSVWithNames;
CREATE TABLE j2 (a UInt32, b String, v Float64) ENGINE = Join(ANY, LEFT, a, b);
INSERT INTO j2 VALUES (1, 'a', 1.5), (1, 'b', 2.5), (1, 'a', 9.5);
SELECT joinGet('j2', 'v', 1::UInt32, 'a'), joinGet('j2', 'v', 1::UInt32, 'b'), joinGet('j2', 'v', 2::UInt32, 'b');
CREATE TABLE j3 (a Float64, v String) ENGINE = Join(ANY, LEFT, a) SETTINGS join_use_nulls = 1;
INSERT INTO j3 VALUES (1.5, 'x');
SELECT joinGet('j3', 'v', 1.5), joinGet('j3', 'v', 2.5), toTypeName(joinGet('j3', 'v', 2.5));
CREATE TABLE j4 (k Nullable(String), v String) ENGINE = Join(ANY, LEFT, k);
SELECT joinGet('j4', 'v', 'a'), joinGetOrNull('j4', 'v', 'a');
INSERT INTO j4 VALUES ('a', 'x'), (NULL, 'y');
SELECT joinGet('j4', 'v', 'a'), joinGet('j4', 'v', NULL::Nullable(String));
CREATE TABLE j5 (a UInt32, v Float64) ENGINE = Join(ALL, LEFT, a);
-- error: INCOMPATIBLE_TYPE_OF_JOIN
SELECT joinGet('j5', 'v', 1::UInt32);
CREATE TABLE j6 (a UInt32, v Float64) ENGINE = Join(ANY, INNER, a);
-- error: INCOMPATIBLE_TYPE_OF_JOIN
SELECT joinGet('j6', 'v', 1::UInt32);
-- error: TYPE_MISMATCH
SELECT joinGet('j1', 'v', 1);
-- error: TYPE_MISMATCH
SELECT joinGet('j1', 'v', NULL);
-- error: NO_SUCH_COLUMN_IN_TABLE
SELECT joinGet('j1', 'nope', 1::UInt32);
-- error: NO_SUCH_COLUMN_IN_TABLE
SELECT joinGet('j1', 'k', 1::UInt32);
-- error: UNKNOWN_TABLE
SELECT joinGet('no_such_table', 'v', 1::UInt32);
-- error: ILLEGAL_TYPE_OF_ARGUMENT
SELECT joinGet('l', 'a', 1::UInt32);
-- error: ILLEGAL_TYPE_OF_ARGUMENT
SELECT joinGet('j1', materialize('v'), 1::UInt32);
-- error: NUMBER_OF_ARGUMENTS_DOESNT_MATCH
SELECT joinGet('j1', 'v');
-- error: NUMBER_OF_ARGUMENTS_DOESNT_MATCH
SELECT joinGet('j1', 'v', 1::UInt32, 2);

SET param_numbers = '[1,2]', param_empty = '[]', param_nulls = '[1, NULL]', param_signed = '[-1, 300]', param_bools = '[true,false]';
SELECT {numbers:Array(UInt8)}, {empty:Array(UInt8)}, {nulls:Array(Nullable(UInt8))}, {signed:Array(Int16)}, {bools:Array(Bool)} FORMAT TSVWithNames;
SELECT {numbers:Array(UInt256)}, {numbers:Array(Decimal(5,2))}, {numbers:Array(Float64)}, {numbers:Array(Nullable(Int64))} FORMAT TSVWithNames;
SELECT {numbers:Array(UInt8)}[1], has({numbers:Array(UInt8)}, 1), 1 IN {numbers:Array(UInt8)}, {numbers:Array(UInt8)} AS named FORMAT TSVWithNames;
SET param_texts = '[\'a\',\'b\\\'c\']', param_nested = '[[1],[2,3]]', param_days = '[\'2024-01-01\']', param_ids = '[\'61f0c404-5cb3-11e7-907b-a6006ad3dba0\']';
SELECT {texts:Array(String)}, {texts:Array(LowCardinality(String))}, {nested:Array(Array(UInt8))}, {days:Array(Date)}, {days:Array(String)}, {ids:Array(UUID)} FORMAT TSVWithNames;
SET param_pair = '(1,\'a\')', param_one = '(1)', param_pairs = '[(1,\'a\'),(2,\'b\')]';
SELECT {pair:Tuple(UInt8, String)}, {pair:Tuple(a UInt8, b String)}, {one:Tuple(UInt8)} AS one, {pairs:Array(Tuple(UInt8, String))} FORMAT TSVWithNames;
SET param_name = 'a';
SELECT {name:Enum8('a'=1,'b'=-2)}, {name:Nullable(Enum16('b'=1,'a'=-300))}, {name:Enum8('a'=1)} = 'a' AS same FORMAT TSVWithNames;
SET param_map = '{\'a\':1}', param_lists = '{\'a\':[1,2],\'b\':[]}', param_none = '{}';
SELECT {map:Map(String, UInt8)}, {lists:Map(String, Array(UInt8))}, {none:Map(String, UInt8)} FORMAT TSVWithNames;
