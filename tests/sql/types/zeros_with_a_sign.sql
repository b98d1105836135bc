-- Sets know values by their bits; comparisons do not see the sign of zero, within arrays and maps as well.
SELECT -0. IN (0.), 0. IN (-0.), -0. IN (0., 1.), 0. IN (-0., 5.), -0. IN (-0., 5.), 0. NOT IN (-0.), nan IN (nan, 1.);
SELECT number, -toFloat64(number) IN (0.), -toFloat64(number) IN (-0., -1.), -toFloat32(number) IN (0, 5) FROM numbers(2);
SELECT (-toFloat64(number), 1) IN ((0., 1), (2., 3)), (-toFloat64(number), 1) IN ((-0., 1), (2., 3)) FROM numbers(2);
SELECT toNullable(-toFloat64(number)) IN (0., NULL), toNullable(-toFloat64(number)) IN (-0., NULL) FROM numbers(2);
SELECT [-0.] = [0.], [-toFloat64(number)] = [0.], [[-0.]] = [[0.]], map('a', -0.) = map('a', 0.), [(-0., 1)] = [(0., 1)], [-0.] < [0.], [-0.] <= [0.], [-0.] != [0.], (-0., 1) < (0., 2) FROM numbers(1);
SELECT [toFloat32(-0.), 1] = [toFloat32(0.), 1], [toNullable(-0.), NULL] = [0., NULL];
