SELECT geoToH3(200., 55., 5), geoToH3(37., 95., 5), geoToH3(37., 395., 5), geoToH3(-91., 0., 5);
-- error: INCORRECT_DATA
SELECT geoToH3(inf, 1., 5);
-- error: INCORRECT_DATA
SELECT h3GetResolution(toUInt64(5));
-- error: INCORRECT_DATA
SELECT h3HexRing(585468042247864319, toUInt16(1));
-- error: INCORRECT_DATA
SELECT h3kRing(toUInt64(5), 1);
-- error: PARAMETER_OUT_OF_BOUND
SELECT h3kRing(644325529233966508, 10001);
-- error: INCORRECT_DATA
SELECT h3IsPentagon(toUInt64(5));
SELECT h3GetBaseCell(612916788725809151) AS x, toTypeName(x), h3IndexesAreNeighbors(617420388351344639, 617420388352655359) AS y, toTypeName(y), h3ToParent(599405990164561919, 3) AS p, toTypeName(p), h3ToChildren(599405990164561919, 6), h3ToCenterChild(577023702256844799, 1), h3ToString(617420388352917503) AS t, toTypeName(t), stringToH3('89184926cc3ffff') AS s, toTypeName(s);
SELECT h3ToParent(599405990164561919, 9);
SELECT h3ToCenterChild(599405990164561919, 1);
-- error: INCORRECT_DATA
SELECT h3IndexesAreNeighbors(617420388351344639, toUInt64(5));
-- error: ILLEGAL_TYPE_OF_ARGUMENT
SELECT stringToH3('zz');
SELECT stringToH3('0x89184926cc3ffff');
-- error: ILLEGAL_TYPE_OF_ARGUMENT
SELECT h3ToString(toUInt64(5));
SELECT h3IsResClassIII(617420388352917503) AS x, toTypeName(x), h3IsPentagon(644721767722457330) AS y, toTypeName(y), h3GetFaces(599686042433355775) AS z, toTypeName(z);
-- error: INCORRECT_DATA
SELECT h3CellAreaM2(toUInt64(5));
-- error: INCORRECT_DATA
SELECT h3ExactEdgeLengthM(toUInt64(5));
SELECT h3Line(590080540275638271, 590103561300344831) AS x, toTypeName(x), h3Distance(590080540275638271, 590103561300344831) AS d, toTypeName(d);
-- error: INCORRECT_DATA
SELECT h3Line(590080540275638271, 644325529233966508);
-- error: INCORRECT_DATA
SELECT h3Distance(590080540275638271, toUInt64(5));
SELECT h3GetUnidirectionalEdge(599686042433355775, 599686043507097599) AS x, toTypeName(x), h3UnidirectionalEdgeIsValid(1248204388774707199) AS v, toTypeName(v), h3UnidirectionalEdgeIsValid(toUInt64(5)), h3GetOriginIndexFromUnidirectionalEdge(1248204388774707199), h3GetDestinationIndexFromUnidirectionalEdge(1248204388774707199), h3GetIndexesFromUnidirectionalEdge(1248204388774707199) AS i, toTypeName(i), arraySort(h3GetUnidirectionalEdgesFromHexagon(599686042433355775)) AS h, toTypeName(h), arrayMap(p -> (round(p.1, 9), round(p.2, 9)), h3GetUnidirectionalEdgeBoundary(1248204388774707199)) AS b, toTypeName(b);
-- error: INCORRECT_DATA
SELECT h3GetUnidirectionalEdge(599686042433355775, toUInt64(5));
SELECT h3GetUnidirectionalEdge(599686042433355775, 644325529233966508);
-- error: INCORRECT_DATA
SELECT h3GetOriginIndexFromUnidirectionalEdge(toUInt64(5));
-- error: INCORRECT_DATA
SELECT h3GetUnidirectionalEdgeBoundary(toUInt64(5));
-- error: INCORRECT_DATA
SELECT h3GetUnidirectionalEdgesFromHexagon(1248204388774707199);
SELECT arraySort(h3GetUnidirectionalEdgesFromHexagon(590112357393367039));
-- error: INCORRECT_DATA
SELECT h3ToGeo(toUInt64(5));
-- error: TOO_LARGE_ARRAY_SIZE
SELECT h3ToChildren(579205133326352383, 15);
SELECT round(h3PointDistM(100., 500., 10., 0.), 3), h3PointDistRads(nan, 0., 1., 1.);
-- error: INCORRECT_DATA
SELECT h3GetBaseCell(toUInt64(5));
SELECT h3IsValid(630814730351855103) AS x, toTypeName(x), h3IsValid(toUInt64(5)), h3GetResolution(630814730351855103) AS r, toTypeName(r), round(h3EdgeAngle(10), 12) AS a, toTypeName(a), h3NumHexagons(3) AS n, toTypeName(n);
SELECT number AS r, round(h3EdgeAngle(toUInt8(r)), 7), round(h3EdgeLengthM(toUInt8(r)), 2), round(h3EdgeLengthKm(toUInt8(r)), 6), round(h3HexAreaM2(toUInt8(r)), 3), round(h3HexAreaKm2(toUInt8(r)), 6), h3NumHexagons(toUInt8(r)) FROM numbers(16);
SELECT arraySort(h3kRing(644325529233966508, 1)) AS x, toTypeName(x), arraySort(h3HexRing(590080540275638271, toUInt16(1))) AS y, toTypeName(y), h3HexRing(590080540275638271, toUInt16(0)), arraySort(h3kRing(590112357393367039, 2)), h3ToChildren(590112357393367039, 4);
SELECT h3IsPentagon(590112357393367039), arraySort(h3GetFaces(590112357393367039)), arrayMap(p -> (round(p.1, 9), round(p.2, 9)), h3ToGeoBoundary(590112357393367039)), round(h3CellAreaM2(590112357393367039), 1), round(h3CellAreaRads2(579205133326352383), 12), round(h3ExactEdgeLengthM(1310277011704381439), 4), round(h3ExactEdgeLengthKm(1310277011704381439), 7), round(h3ExactEdgeLengthRads(1310277011704381439), 12), round(h3PointDistM(-10., 0., 10., 0.), 4) AS d, toTypeName(d), round(h3PointDistKm(-10., 0., 10., 0.), 7), round(h3PointDistRads(-10., 0., 10., 0.), 12);
SELECT geoToH3(37.79506683, 55.71290588, 15), toTypeName(geoToH3(37.79506683, 55.71290588, toUInt8(15))), arrayMap(i -> geoToH3(12.5, -100.25, toUInt8(i)), range(16));
SELECT round(h3ToGeo(644325524701193974).1, 9), round(h3ToGeo(644325524701193974).2, 9), toTypeName(h3ToGeo(644325524701193974)), toTypeName(h3ToGeoBoundary(644325524701193974)), h3ToChildren(599405990164561919, 3), length(h3GetRes0Indexes()), arraySort(h3GetPentagonIndexes(3)) = h3GetPentagonIndexes(3);
-- error: ARGUMENT_OUT_OF_BOUND
SELECT geoToH3(37., 55., 16);
-- error: ILLEGAL_TYPE_OF_ARGUMENT
SELECT geoToH3(1, 2, 5);
-- error: ARGUMENT_OUT_OF_BOUND
SELECT h3EdgeAngle(16);
-- error: ILLEGAL_TYPE_OF_ARGUMENT
SELECT h3IsValid('a');
-- error: ILLEGAL_TYPE_OF_ARGUMENT
SELECT h3kRing(644325529233966508, -1);
-- error: ARGUMENT_OUT_OF_BOUND
SELECT h3ToChildren(599405990164561919, 16);
SELECT h3Distance(590080540275638271, 644325529233966508);
SELECT groupUniqArray(length(h3kRing(geoToH3(toFloat64(number), toFloat64(number * 7), 7), 2))) FROM numbers(80);
