WITH t -> arrayMap(v -> round(v, 9), [t.1, t.2, t.3]) AS f SELECT f(proportionsZTest(10, 11, 100, 101, 0.95, 'unpooled')), f(proportionsZTest(10, 11, 100, 101, 0.95, 'pooled')), f(proportionsZTest(10, 11, 0, 101, 0.95, 'pooled')), f(proportionsZTest(200, 11, 100, 101, 0.95, 'pooled')), f(proportionsZTest(0, 0, 100, 101, 0.95, 'pooled')), f(proportionsZTest(100, 101, 100, 101, 0.9, 'unpooled')), toTypeName(proportionsZTest(10, 11, 100, 101, 0.95, 'unpooled'));
-- error: BAD_ARGUMENTS
SELECT proportionsZTest(10, 11, 100, 101, 0.95, 'foo');
WITH t -> arrayMap(v -> round(v, 9), [t.1, t.2, t.3]) AS f SELECT f(proportionsZTest(10, 11, 100, 101, 2., 'pooled'));
-- error: ILLEGAL_TYPE_OF_ARGUMENT
SELECT proportionsZTest(10, 11, 100, 101, 1, 'pooled');
-- error: ILLEGAL_TYPE_OF_ARGUMENT
SELECT proportionsZTest(10.5, 11, 100, 101, 0.9, 'pooled');
-- error: ILLEGAL_TYPE_OF_ARGUMENT
SELECT proportionsZTest(-1, 11, 100, 101, 0.9, 'pooled');
WITH t -> arrayMap(v -> round(v, 9), [t.1, t.2, t.3]) AS f SELECT f(proportionsZTest(toUInt8(10), toUInt16(11), toUInt32(100), toUInt64(101), toFloat32(0.9), 'pooled'));
WITH t -> arrayMap(v -> round(v, 9), [t.1, t.2, t.3]) AS f SELECT f(proportionsZTest(materialize(10), 11, materialize(100), 101, materialize(0.9), 'pooled'));
-- error: ILLEGAL_TYPE_OF_ARGUMENT
SELECT proportionsZTest(10, 11, 100, 101, 0.9, materialize('pooled'));
WITH t -> arrayMap(v -> round(v, 9), [t.1, t.2, t.3]) AS f SELECT f(minSampleSizeContinuous(112.25, 21.1, 0.03, 0.80, 0.05)), f(minSampleSizeContinous(112.25, 21.1, 0.03, 0.80, 0.05)), f(minSampleSizeContinuous(20, 6, 0.05, 0.8, 0.05)), f(minSampleSizeContinuous(20.0, 6.0, 0.05, -0.8, 0.05)), f(minSampleSizeContinuous(0, 1, 0.5, 0.8, 0.05)), f(minSampleSizeContinuous(20.0, 6.0, 0.05, 0.8, 2)), f(minSampleSizeContinuous(nan, 6.0, 0.05, 0.8, 0.05)), f(minSampleSizeContinuous(-20, 6.0, 0.05, 0.8, 0.05)), toTypeName(minSampleSizeContinuous(112.25, 21.1, 0.03, 0.80, 0.05));
-- error: NUMBER_OF_ARGUMENTS_DOESNT_MATCH
SELECT minSampleSizeContinuous(112.25, 21.1, 0.03, 0.80);
-- error: ILLEGAL_TYPE_OF_ARGUMENT
SELECT minSampleSizeContinuous('a', 21.1, 0.03, 0.80, 0.05);
WITH t -> arrayMap(v -> round(v, 9), [t.1, t.2, t.3]) AS f SELECT f(minSampleSizeContinuous(materialize(112.25), 21.1, 0.03, 0.80, 0.05));
-- error: ILLEGAL_TYPE_OF_ARGUMENT
SELECT minSampleSizeContinuous(toDecimal32(112.25, 2), 21.1, 0.03, 0.80, 0.05);
-- error: ILLEGAL_COLUMN
SELECT minSampleSizeContinuous(112.25, 21.1, materialize(0.03), 0.80, 0.05);
WITH t -> arrayMap(v -> round(v, 9), [t.1, t.2, t.3]) AS f SELECT f(minSampleSizeContinuous(112.25, materialize(21.1), 0.03, 0.80, 0.05));
WITH t -> arrayMap(v -> round(v, 9), [t.1, t.2, t.3]) AS f SELECT f(minSampleSizeContinuous(toFloat32(112.25), toFloat32(21.1), toFloat32(0.03), toFloat32(0.80), toFloat32(0.05)));
-- error: ILLEGAL_TYPE_OF_ARGUMENT
SELECT minSampleSizeConversion(0.25, 0.03, 0.80, 0.05) AS x, toTypeName(x), minSampleSizeConversion(0, 0.03, 0.80, 0.05), minSampleSizeConversion(0.9, 0.3, 0.80, 0.05), minSampleSizeConversion(0.25, 0, 0.80, 0.05), minSampleSizeConversion(0.25, -0.03, 0.80, 0.05), minSampleSizeConversion(1, 0.03, 0.80, 0.05);
-- error: ILLEGAL_TYPE_OF_ARGUMENT
SELECT minSampleSizeConversion(materialize(0.25), 0.03, 0.80, 0.05), minSampleSizeConversion(toNullable(0.25), 0.03, 0.80, 0.05);
WITH t -> arrayMap(v -> round(v, 9), [t.1, t.2, t.3]) AS f SELECT f(minSampleSizeConversion(0.25, 0.03, 0.80, 0.05)), f(minSampleSizeConversion(0., 0.03, 0.80, 0.05)), f(minSampleSizeConversion(0.9, 0.3, 0.80, 0.05)), f(minSampleSizeConversion(0.25, -0.03, 0.80, 0.05)), f(minSampleSizeConversion(1., 0.03, 0.80, 0.05)), toTypeName(minSampleSizeConversion(0.25, 0.03, 0.80, 0.05));
WITH t -> arrayMap(v -> round(v, 9), [t.1, t.2, t.3]) AS f SELECT f(minSampleSizeConversion(materialize(0.25), 0.03, 0.80, 0.05)), f(minSampleSizeConversion(0.25, 0., 0.80, 0.05)), f(minSampleSizeConversion(0.25, 0.25, 0.80, 0.05)), f(minSampleSizeConversion(0.25, 0.75, 0.80, 0.05)), f(minSampleSizeConversion(nan, 0.03, 0.80, 0.05)), f(minSampleSizeConversion(0.25, 0.03, 0., 0.05)), f(minSampleSizeConversion(0.25, 0.03, 1., 0.05)), f(minSampleSizeConversion(0.25, 0.03, .5, 1.));
-- error: ILLEGAL_COLUMN
SELECT minSampleSizeConversion(0.25, materialize(0.03), 0.80, 0.05);
WITH t -> arrayMap(v -> round(v, 9), [t.1, t.2, t.3]) AS f SELECT f(minSampleSizeConversion(toFloat32(0.25), toFloat32(0.03), toFloat32(0.80), toFloat32(0.05)));
WITH t -> arrayMap(v -> round(v, 9), [t.1, t.2, t.3]) AS f SELECT f(minSampleSizeContinuous(100., 10, 0.1, 0., 0.05)), f(minSampleSizeContinuous(100., 10, 0.1, 1., 0.05)), f(minSampleSizeContinuous(100., 10, 0.1, 0.5, 0.)), f(minSampleSizeContinuous(100., 10, 0, 0.5, 0.05)), f(minSampleSizeContinuous(100., -10, 0.1, 0.5, 0.05)), f(minSampleSizeContinuous(100, 10, -0.1, 0.5, 0.05)), f(minSampleSizeContinuous(100, inf, 0.1, 0.5, 0.05));
-- error: ILLEGAL_TYPE_OF_ARGUMENT
SELECT minSampleSizeContinuous(toNullable(100.), 10, 0.1, 0.5, 0.05);
