CREATE TABLE memory_shapes (p Point, r Ring, l LineString, ml MultiLineString, pg Polygon, mp MultiPolygon, ap Array(Point)) ENGINE = Memory;
INSERT INTO memory_shapes VALUES ((1, 2), [(1, 2)], [(1, 2), (3, 4)], [[(1, 2)]], [[(1, 2)], []], [[[(1, 2)]]], [(1, 2)]);
DESCRIBE memory_shapes;
SELECT * FROM memory_shapes;
SELECT p + p, p = (1, 2), r[1].1, arrayMap(x -> x.1, r), toString(p), toTypeName(r[1]), toTypeName(pg), length(pg) FROM memory_shapes;
CREATE TABLE shapes (n UInt8, p Point, pg Polygon, m Map(String, Point)) ENGINE = MergeTree ORDER BY n;
INSERT INTO shapes VALUES (2, (1, 2), [[(0, 0), (4, 0), (0, 4)]], {'a': (1, 2)}), (1, (3, 4.5), [], {});
INSERT INTO shapes SELECT 3, (number, number + 1), [[(number, 2)]], map() FROM numbers(1);
SELECT * FROM shapes ORDER BY n;
SELECT n, toTypeName(p), toTypeName(pg), toTypeName(m), p.1, tupleElement(p, 2) FROM shapes ORDER BY p, n;
SELECT pointInPolygon(p, pg) FROM shapes WHERE n = 2;
SELECT name, type FROM system.columns WHERE table = 'shapes' ORDER BY position;
SELECT toTypeName(CAST([(1, 2)] AS Ring)), toTypeName(CAST([[(1, 2)]] AS Polygon)[1]), toTypeName([CAST((1, 2) AS Point)]), CAST('(1,2)' AS Point), CAST('[(1,2),(3,4.5)]' AS Ring);
SELECT toTypeName(CAST((1, 2) AS Tuple(Float64, Float64))::Point), toTypeName(CAST([(1, 2)] AS Ring)::LineString), toTypeName(tuple(CAST((1, 2) AS Point)));
SELECT p, max(n) FROM shapes GROUP BY p ORDER BY p;
-- error: ILLEGAL_TYPE_OF_ARGUMENT
SELECT CAST([(1, 2)] AS Nullable(Ring));
