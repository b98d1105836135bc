SELECT wkt((0.1, 1e20)), wkt((1 / 3, -0.0)), wkt((1e-7, 123456789.123456789)), wkt((100000., 1000000.)), wkt((1234567.5, 0.00001)), wkt((1., 0.1 + 0.2)), toTypeName(wkt((1., 2.)));
SELECT wkt([(0., 0.), (10, 0), (10, 10), (0, 10)]), wkt([(0., 0.), (10, 0), (10, 10), (0, 10)]::LineString), wkt([[(0., 0.), (10, 0), (10, 10), (0, 10)]]::MultiLineString), wkt([(1, 2), (3, 4)]::MultiPoint);
SELECT wkt([[(0., 0.), (10, 0), (10, 10), (0, 10)], [(1., 1.), (2, 1), (2, 2)]]), wkt([[[(0., 0.), (10, 0), (10, 10), (0, 10)]], [[(0., 0.), (10, 0), (10, 10), (0, 0)]]]), wkt([[(0., 0.)]]::Polygon), wkt([[(0., 0.), (1, 1)]]::Polygon);
SELECT wkt([]::Ring), wkt([]::LineString), wkt([]::Polygon), wkt([[]]::Polygon), wkt([]::MultiLineString), wkt([[]]::MultiLineString), wkt([]::MultiPolygon), wkt([[[]]]::MultiPolygon), wkt([[(0., 0.), (10, 0), (10, 10), (0, 10)], []]::Polygon);
SELECT wkt(NULL), toTypeName(wkt(NULL)), wkt(toNullable((1., 2.))), WKT((1., 2.));
SELECT wkt((toFloat64(number), number / 3.)), wkt([(toFloat64(number), 1.), (2., number / 2.)]) FROM numbers(3);
SELECT readWKTPoint('POINT (1.2 3.4)'), toTypeName(readWKTPoint('POINT (1.2 3.4)')), readWKTPoint('  point  ( 1   2 ) '), readWKTPoint('POINT (1e3 -2.5E-1)'), readWKTPoint('POINT(+1 -2)'), readWKTPoint('POINT(.5 5.)'), readWKTPoint('POINT(0x10 2)');
SELECT readWKTPoint('POINT (1)'), readWKTPoint('POINT()'), readWKTPoint('POINT M (1 2)'), readWKTPoint('POINT (nan inf)');
SELECT readWKTRing('POLYGON ((0 0, 10 0, 10 10, 0 10, 0 0))'), toTypeName(readWKTRing('POLYGON ((0 0, 10 0))'));
SELECT readWKTPolygon('POLYGON ((0 0, 10 0, 10 10, 0 10, 0 0), (4 4, 5 4, 5 5, 4 5, 4 4))'), readWKTPolygon('POLYGON((0 0,0 10,10 10,10 0))'), readWKTPolygon('POLYGON EMPTY'), readWKTPolygon('POLYGON()'), readWKTPolygon('POLYGON((0 0,0 10,10 10,10 0,0 0),())');
SELECT readWKTMultiPolygon('MULTIPOLYGON (((0 0, 10 0, 10 10, 0 10, 0 0)),((1 1, 2 2, 2 1, 1 1)))'), toTypeName(readWKTMultiPolygon('MULTIPOLYGON()')), readWKTMultiPolygon('MULTIPOLYGON()'), readWKTMultiPolygon('MULTIPOLYGON EMPTY');
SELECT readWKTLineString('LINESTRING (1 1, 2 2, 3 3, 1 1)'), readWKTLineString('LINESTRING EMPTY'), readWKTLineString('LINESTRING()'), readWKTLineString('LINESTRING (1 1, 2 2,)'), readWKTLineString('LINESTRING (1 1 2 2)'), readWKTLineString('LINESTRING (1, 2 2)'), readWKTLineString('LINESTRING (,)');
SELECT readWKTMultiLineString('MULTILINESTRING ((1 1, 2 2, 3 3), (4 4, 5 5, 6 6))'), readWKTMultiLineString('MULTILINESTRING EMPTY'), toTypeName(readWKTMultiLineString('MULTILINESTRING ()'));
SELECT readWKTMultiPoint('MULTIPOINT (1 1, 2 2, 3 3)'), readWKTMultiPoint('MULTIPOINT ((1 1), (2 2))'), toTypeName(readWKTMultiPoint('MULTIPOINT (1 1, 2 2, 3 3)')), readWKTMultiPoint('MULTIPOINT EMPTY');
SELECT readWKTLineString(NULL), readWKTLineString(toNullable('LINESTRING (1 1)')), readWKTPoint(if(number = 1, NULL, 'POINT(1 2)')) FROM numbers(2);
SELECT wkt(readWKTPolygon(concat('POLYGON((0 0,', toString(number), ' 5,5 0,0 0))'))) FROM numbers(2);
SELECT hex(wkb((1., 2.)::Point)), hex(wkb([(0., 0.), (10, 0), (10, 10), (0, 10)]::LineString)), hex(wkb([[(0., 0.), (10, 0), (10, 10), (0, 10)]]::Polygon)), hex(wkb([[(0., 0.), (10, 0)]]::MultiLineString)), hex(wkb([[[(0., 0.), (10, 0), (10, 10), (0, 10)]]]::MultiPolygon)), hex(wkb([(1, 2)]::MultiPoint));
SELECT hex(wkb([]::LineString)), hex(wkb([]::Polygon)), hex(wkb([[]]::Polygon)), hex(wkb([]::MultiLineString)), hex(wkb([]::MultiPolygon)), hex(wkb([]::MultiPoint)), hex(wkb([[]]::MultiPolygon)), hex(wkb((nan, inf)::Point)), hex(wkb([[(0., 0.), (10, 0)], [], [(0., 0.)]]::Polygon));
SELECT wkb(NULL), hex(wkb(toNullable((1., 2.)::Point))), hex(WKB((1., 2.)::Point));
SELECT readWKBPoint(unhex('0101000000333333333333f33f3333333333330b40')), toTypeName(readWKBPoint(unhex('0101000000333333333333f33f3333333333330b40'))), readWKBPoint(unhex('0000000001400C000000000000400C000000000000')), ST_PointFromWKB(wkb((1., 2.)::Point)), readWKBPoint(concat(wkb((1., 2.)::Point), 'x'));
SELECT readWKBPolygon(wkb([[(0., 0.), (10, 0), (10, 10), (0, 10)]]::Polygon)), readWKBLineString(wkb([(0., 0.), (10, 0), (10, 10), (0, 10)]::LineString)), readWKBMultiLineString(wkb([[(0., 0.), (10, 0)]]::MultiLineString)), readWKBMultiPolygon(wkb([[[(0., 0.), (10, 0), (10, 10), (0, 10)]]]::MultiPolygon)), readWKBMultiPoint(wkb([(1, 2)]::MultiPoint)), ST_PolyFromWKB(wkb([[(0., 0.), (10, 0)]]::Polygon));
SELECT readWKBPolygon(unhex('010300000000000000')), readWKBPolygon(unhex('01030000000100000000000000')), readWKBMultiPolygon(unhex('010600000000000000')), readWKBPoint(NULL), readWKBPoint(toNullable(unhex('0101000000333333333333f33f3333333333330b40')));
SELECT svg((0., 0.1)), svg([(0., 0.), (10, 0), (10, 10), (0, 10)]::Ring), svg([(0., 0.), (10, 0), (10, 10), (0, 10)]::LineString), svg([[(0., 0.), (10, 0), (10, 10), (0, 10)], [(1, 1), (2, 2), (2, 1)]]::Polygon), svg([[(0., 0.), (10, 0)]]::MultiLineString);
SELECT svg([[[(0., 0.), (10, 0), (10, 10), (0, 10)]]]::MultiPolygon), svg([(1, 2), (3, 4)]::MultiPoint), svg((0., 0.1), 'fill:red'), SVG((0., 1e7), materialize('b')), svg([[(0., 0.), (0, 10), (10, 10)], [(1, 1), (2, 1), (2, 2), (1, 1)]]::Polygon, 'x');
SELECT svg([]::Ring), svg([]::Polygon), svg([]::MultiPolygon), svg([[]]::MultiLineString), svg([]::MultiLineString), svg([(0., 0.), (10, 0)]::Ring), svg(NULL);
SELECT polygonAreaCartesian([[[(0., 0.), (0., 5.), (5., 5.), (5., 0.)]]]), toTypeName(polygonAreaCartesian([[[(0., 0.), (0., 5.), (5., 5.), (5., 0.)]]])), polygonAreaCartesian([[(0., 0.), (5., 0.), (5., 5.), (0., 5.)]]), polygonAreaCartesian([(0.1, 0.2), (5.3, 0.7), (5.9, 5.11), (0.13, 5.17)]);
SELECT polygonAreaCartesian([[(0.1, 0.2), (3.3, 7.1), (9.7, 5.1), (4.4, 1.1), (0.1, 0.2)], [(3.1, 2.2), (3.3, 3.1), (4.7, 3.1), (4.4, 2.1), (3.1, 2.2)]]), polygonAreaCartesian([[(0., 0.), (5., 0.), (5., 5.), (0., 5.)], [(1, 1), (2, 2), (1, 2)]]), polygonAreaCartesian(NULL);
SELECT polygonAreaCartesian([[]]::Polygon), polygonAreaCartesian([]::MultiPolygon), polygonAreaCartesian([[(0., 0), (1, 1)]]::Polygon), polygonAreaCartesian([(0., 0), (4, 4), (4, 0), (0, 4)]::Ring), polygonAreaCartesian([(1., 2.), (2, 3)]::LineString), polygonAreaCartesian([(0., 0.), (0, 5), (5, 5), (0, 0)]::Ring);
SELECT polygonPerimeterCartesian([[[(0., 0.), (0., 5.), (5., 5.), (5., 0.)]]]), round(polygonPerimeterCartesian([[(0.1, 0.2), (3.3, 7.1), (9.7, 5.1), (4.4, 1.1), (0.1, 0.2)], [(3.1, 2.2), (3.3, 3.1), (4.7, 3.1), (4.4, 2.1), (3.1, 2.2)]]), 12), polygonPerimeterCartesian([(0.1, 0.2), (5.3, 0.7), (5.9, 5.11), (0.13, 5.17)]), polygonPerimeterCartesian([(0., 0), (1, 1)]::LineString), polygonPerimeterCartesian([]::Polygon);
SELECT polygonConvexHullCartesian([[[(0., 0.), (0., 5.), (5., 5.), (5., 0.), (2., 3.)]]]), toTypeName(polygonConvexHullCartesian([[[(0., 0.), (0., 5.), (5., 5.), (5., 0.), (2., 3.)]]])), polygonConvexHullCartesian([(5., 5.), (1, 2), (3, 9), (4, 4), (7, 1), (5, 5)]::Ring), polygonConvexHullCartesian([[[(0.1, 0.2), (3.3, 7.1)]], [[(0.1, -1.2), (3.3, -7.1), (0.1, 5)]]]);
SELECT polygonConvexHullCartesian([(0., 0), (1, 1), (2, 2)]::Ring), polygonConvexHullCartesian([(0., 0), (1, 1)]::Ring), polygonConvexHullCartesian([(0., 0)]::Ring), polygonConvexHullCartesian([]::Ring), polygonConvexHullCartesian([(0., 0), (1, 0), (2, 0), (2, 1), (2, 2), (1, 2), (0, 2), (0, 1), (1, 1)]::Ring), polygonConvexHullCartesian([(1., 2.), (2, 3)]::LineString);
CREATE TABLE shapes (p Point, m MultiPoint) ENGINE = Memory;
INSERT INTO shapes VALUES ((1, 2), [(3, 4), (5, 6)]);
SELECT wkt(p), wkt(m), toTypeName(m) FROM shapes;
-- error: BAD_ARGUMENTS
SELECT wkt((1, 2));
-- error: BAD_ARGUMENTS
SELECT wkt('a');
-- error: ILLEGAL_TYPE_OF_ARGUMENT
SELECT wkt((nan, 1.));
-- error: ILLEGAL_TYPE_OF_ARGUMENT
SELECT wkt((inf, 1.));
-- error: NUMBER_OF_ARGUMENTS_DOESNT_MATCH
SELECT wkt();
-- error: CANNOT_PARSE_TEXT
SELECT readWKTPoint('POINT (1 2 3)');
-- error: CANNOT_PARSE_TEXT
SELECT readWKTPoint('POINT Z (1 2 3)');
-- error: CANNOT_PARSE_TEXT
SELECT readWKTPoint('POINT (1 2) x');
-- error: CANNOT_PARSE_TEXT
SELECT readWKTPoint('');
-- error: CANNOT_PARSE_TEXT
SELECT readWKTPoint('POINT EMPTY');
-- error: CANNOT_PARSE_TEXT
SELECT readWKTPoint('POINT(1_0 2)');
-- error: CANNOT_PARSE_TEXT
SELECT readWKTPoint('POINT(1e400 2)');
-- error: CANNOT_PARSE_TEXT
SELECT readWKTMultiPoint('MULTIPOINT ((1 1), 2 2)');
-- error: CANNOT_PARSE_TEXT
SELECT readWKTMultiPolygon('MULTIPOLYGON (((0 0, 10 0, 10 10, 0 10, 0 0)), EMPTY)');
-- error: CANNOT_PARSE_TEXT
SELECT readWKTRing('POLYGON ((0 0, 10 0), (4 4, 5 4))');
-- error: ILLEGAL_TYPE_OF_ARGUMENT
SELECT readWKTLineString(1);
-- error: BAD_ARGUMENTS
SELECT wkb((1., 2.));
-- error: BAD_ARGUMENTS
SELECT wkb([]::Ring);
-- error: BAD_ARGUMENTS
SELECT readWKBPoint('a');
-- error: BAD_ARGUMENTS
SELECT readWKBPoint('');
-- error: CANNOT_READ_ALL_DATA
SELECT readWKBPoint(substring(wkb((1., 2.)::Point), 1, 15));
-- error: TOO_LARGE_ARRAY_SIZE
SELECT readWKBLineString(unhex('0102000000FFFFFFFF'));
-- error: BAD_ARGUMENTS
SELECT readWKBPoint(unhex('0109000000000000000000F03F0000000000000040'));
-- error: BAD_ARGUMENTS
SELECT readWKBPoint(wkb([[(0., 0.), (10, 0), (10, 10), (0, 10)]]::Polygon));
-- error: BAD_ARGUMENTS
SELECT readWKBMultiPolygon(unhex('010600000001000000010200000000000000'));
-- error: ILLEGAL_TYPE_OF_ARGUMENT
SELECT polygonAreaCartesian((1., 2.));
-- error: BAD_ARGUMENTS
SELECT polygonAreaCartesian('a');
-- error: ILLEGAL_TYPE_OF_ARGUMENT
SELECT polygonAreaCartesian([(1., 3.), (0, 5), (5, 5), (5, nan)]::Ring);
-- error: BAD_ARGUMENTS
SELECT polygonConvexHullCartesian((1., 2.));
