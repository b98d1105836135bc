SELECT geohashesInBox(24.48, 40.56, 24.785, 40.81, 4), toTypeName(geohashesInBox(24.48, 40.56, 24.785, 40.81, 4));
SELECT geohashesInBox(-180., -90., 180., 90., 1), geohashesInBox(-1., -1., 1., 1., 2), geohashesInBox(0.1, 0.1, 0.1, 0.1, 12), geohashesInBox(170., 10., 200., 11., 2);
SELECT geohashesInBox(24.48, 40.56, 24.48000001, 40.56000001, 0), geohashesInBox(24.48, 40.56, 24.48000001, 40.56000001, 200), geohashesInBox(1., 1., 0., 0., 4);
SELECT geohashesInBox(-200., -100., 200., 100., 1) = geohashesInBox(-180., -90., 180., 90., 1), length(geohashesInBox(-180., -90., 180., 90., 2)), geohashesInBox(179.9, 89.9, 180., 90., 3), geohashesInBox(180., 90., 180., 90., 3), geohashesInBox(0., 0., 0., 0., 3), geohashesInBox(-11.25, -5.625, 11.25, 5.625, 2), geohashesInBox(200., 0., 210., 1., 2);
SELECT geohashesInBox(toFloat32(24.48), toFloat32(40.56), toFloat32(24.785), toFloat32(40.81), 5);
SELECT geohashesInBox(number + 0.1, 1.5, number + 11., 2.5, toUInt8(number + 1)) FROM numbers(3);
SELECT geohashesInBox(nan, -90., 180., 90., 7), geohashesInBox(inf, 1.5, 2., 2.5, 2), geohashesInBox(-inf, 1.5, inf, 2.5, 1), geohashesInBox(NULL, 1.5, 2., 2.5, 2), geohashesInBox(toNullable(1.), 1.5, 2., 2.5, 2);
-- error: TOO_LARGE_ARRAY_SIZE
SELECT geohashesInBox(-180., -90., 180., 90., 7);
-- error: TOO_LARGE_ARRAY_SIZE
SELECT geohashesInBox(24.48, 40.56, 24.785, 40.81, 13);
-- error: ILLEGAL_TYPE_OF_ARGUMENT
SELECT geohashesInBox('a', -90., 180., 90., 7);
-- error: ILLEGAL_TYPE_OF_ARGUMENT
SELECT geohashesInBox(1, 1., 2., 2., 2);
-- error: ILLEGAL_TYPE_OF_ARGUMENT
SELECT geohashesInBox(toFloat32(1), 1.5, toFloat32(2), 2.5, 2);
-- error: ILLEGAL_TYPE_OF_ARGUMENT
SELECT geohashesInBox(1., 1.5, 2., 2.5, toUInt16(2));
-- error: NUMBER_OF_ARGUMENTS_DOESNT_MATCH
SELECT geohashesInBox(1., 1., 2., 2.);
