CREATE TABLE samples (x Float64, y UInt8) ENGINE = Memory;
INSERT INTO samples VALUES (20.3, 0), (21.9, 0), (22.1, 0), (18.9, 1), (19, 1), (20.3, 1), (25.5, 0), (21, 1);
SELECT arrayMap(v -> round(v, 9), [t.1, t.2, t.3, t.4]) FROM (SELECT studentTTest(0.95)(x, y) AS t FROM samples);
SELECT arrayMap(v -> round(v, 9), [t.1, t.2, t.3, t.4]) FROM (SELECT welchTTest(0.9)(x, y) AS t FROM samples);
SELECT arrayMap(v -> round(v, 9), [t.1, t.2]) FROM (SELECT studentTTest(x, y) AS t FROM samples UNION ALL SELECT welchTTest(x, y) FROM samples) ORDER BY 1;
SELECT arrayMap(v -> round(v, 9), [t.1, t.2, t.3, t.4]) FROM (SELECT studentTTestOneSample(0.99)(x, 20) AS t FROM samples);
SELECT arrayMap(v -> round(v, 9), [t.1, t.2, t.3, t.4]) FROM (SELECT meanZTest(0.7, 0.45, 0.95)(x, y) AS t FROM samples);
SELECT toTypeName(studentTTest(x, y)), toTypeName(welchTTest(0.9)(x, y)), toTypeName(studentTTestOneSample(x, 1)), toTypeName(meanZTest(0.7, 0.45, 0.95)(x, y)) FROM samples;
SELECT studentTTest(number, number % 2), welchTTest(number, number % 2), studentTTestOneSample(number, 1), meanZTest(0.7, 0.45, 0.95)(number, number % 2) FROM numbers(1);
SELECT studentTTest(number, number % 2), welchTTest(number, number % 2), studentTTestOneSample(number, 1) FROM numbers(0);
SELECT studentTTest(1, number % 2), welchTTest(1, number % 2) FROM numbers(10);
SELECT round(studentTTest(toDecimal32(number, 1), number % 2).2, 9), round(studentTTest(number, number % 2).2, 9) FROM numbers(20);
SELECT number % 2 AS k, round(studentTTest(number * number, number % 3 = 0).1, 9) FROM numbers(20) GROUP BY k ORDER BY k;
SELECT round(studentTTestMerge(s).2, 9), round(welchTTestMerge(w).2, 9) FROM (SELECT studentTTestState(number, number % 2) AS s, welchTTestState(number, number % 2) AS w FROM numbers(20) GROUP BY number % 3);
SELECT round(studentTTestIf(number, number % 2, number > 3).1, 9) FROM numbers(20);
-- error: BAD_ARGUMENTS
SELECT studentTTest(1.5)(number, number % 2) FROM numbers(10);
-- error: BAD_GET
SELECT studentTTest(1)(number, number % 2) FROM numbers(10);
-- error: BAD_ARGUMENTS
SELECT studentTTest('a', number % 2) FROM numbers(10);
-- error: BAD_ARGUMENTS
SELECT studentTTestOneSample(number) FROM numbers(20);
-- error: NUMBER_OF_ARGUMENTS_DOESNT_MATCH
SELECT meanZTest(0.7, 0.45)(number, number % 2) FROM numbers(1);
-- error: BAD_ARGUMENTS
SELECT meanZTest(-0.7, 0.45, 0.95)(number, number % 2) FROM numbers(1);
SELECT mannWhitneyUTest(x, y).1, round(mannWhitneyUTest(x, y).2, 9), round(mannWhitneyUTest('greater')(x, y).2, 9), round(mannWhitneyUTest('less', 0)(x, y).2, 9), toTypeName(mannWhitneyUTest(x, y)) FROM samples;
SELECT mannWhitneyUTest(number * number % 17, number % 2).1, round(mannWhitneyUTest(number * number % 17, number % 2).2, 9), mannWhitneyUTest(1, number % 2) FROM numbers(40);
SELECT round(mannWhitneyUTestMerge(s).2, 9) FROM (SELECT mannWhitneyUTestState(number * number % 17, number % 2) AS s FROM numbers(40) GROUP BY number % 3);
-- error: BAD_ARGUMENTS
SELECT mannWhitneyUTest('nope')(x, y) FROM samples;
-- error: ILLEGAL_TYPE_OF_ARGUMENT
SELECT mannWhitneyUTest('less', 'a')(x, y) FROM samples;
-- error: ILLEGAL_TYPE_OF_ARGUMENT
SELECT mannWhitneyUTest(1)(x, y) FROM samples;
-- error: BAD_ARGUMENTS
SELECT mannWhitneyUTest(x, 0) FROM samples;
-- error: NOT_IMPLEMENTED
SELECT mannWhitneyUTest('a', y) FROM samples;
SELECT round(kolmogorovSmirnovTest(x, y).1, 9), round(kolmogorovSmirnovTest(x, y).2, 9), round(kolmogorovSmirnovTest('less', 'exact')(x, y).2, 9), round(kolmogorovSmirnovTest('greater', 'asymp')(x, y).2, 9), round(kolmogorovSmirnovTest('two-sided', 'asymptotic')(x, y).2, 9) FROM samples;
SELECT round(kolmogorovSmirnovTest(number * number % 17 + number % 2 * 5, number % 2).1, 9), round(kolmogorovSmirnovTest(number * number % 17 + number % 2 * 5, number % 2).2, 9), toTypeName(kolmogorovSmirnovTest(number, number % 2)) FROM numbers(40);
-- error: BAD_ARGUMENTS
SELECT kolmogorovSmirnovTest('two-sided', 'foo')(x, y) FROM samples;
-- error: BAD_ARGUMENTS
SELECT kolmogorovSmirnovTest(x, 0) FROM samples;
SELECT round(rankCorr(number, number * number % 7), 12), rankCorr(number, -toInt64(number)), toTypeName(rankCorr(number, toNullable(number))) FROM numbers(40);
SELECT rankCorr(number, number) FROM numbers(1);
-- error: NOT_IMPLEMENTED
SELECT rankCorr(number, 'a') FROM numbers(1);
SELECT round(analysisOfVariance(number * number % 17, number % 3).1, 9), round(anova(number * number % 17, number % 3).2, 9), toTypeName(anova(number, number % 3)), analysisOfVariance(1, number % 2) FROM numbers(40);
SELECT round(analysisOfVarianceMerge(s).2, 9) FROM (SELECT analysisOfVarianceState(number * number % 17, number % 3) AS s FROM numbers(40) GROUP BY number % 4);
-- error: BAD_ARGUMENTS
SELECT analysisOfVariance(number, 1) FROM numbers(40);
-- error: BAD_ARGUMENTS
SELECT analysisOfVariance(number, number) FROM numbers(4);
-- error: BAD_ARGUMENTS
SELECT analysisOfVariance(number, -1) FROM numbers(10);
-- error: BAD_ARGUMENTS
SELECT analysisOfVariance(number, 2000000) FROM numbers(10);
SELECT round(contingency(number % 10, number % 4), 12), round(cramersV(number % 10, number % 4), 12), round(cramersVBiasCorrected(number % 10, number % 4), 12), round(theilsU(number % 10, number % 4), 12) FROM numbers(150);
SELECT contingency(number, number), cramersV(number, number), cramersVBiasCorrected(number, number), theilsU(number, number) FROM numbers(1);
SELECT contingency(number % 10, 1), cramersV(number % 10, 2), cramersVBiasCorrected(number % 10, 4), theilsU(4, number % 10) FROM numbers(10);
SELECT round(contingency(toString(number % 10), [number % 3]), 12), toTypeName(cramersV(number, toNullable(number))) FROM numbers(50);
SELECT round(cramersVMerge(s), 12) FROM (SELECT cramersVState(number % 10, number % 4) AS s FROM numbers(150) GROUP BY number % 7);
SELECT arrayMap(v -> round(v, 12), categoricalInformationValue(number % 2, number % 3 = 0, number % 5 = 0)), toTypeName(categoricalInformationValue(1, 1)) FROM numbers(50);
SELECT categoricalInformationValue(number % 2 = 0, number % 5 = 0) FROM numbers(0);
-- error: NUMBER_OF_ARGUMENTS_DOESNT_MATCH
SELECT categoricalInformationValue(number % 2 = 0) FROM numbers(1);
-- error: ILLEGAL_TYPE_OF_ARGUMENT
SELECT categoricalInformationValue(number, 1) FROM numbers(1);
SELECT corrMatrix(number, number * number, number % 7) FROM numbers(20);
SELECT covarPopMatrix(number, number * number, number % 7), covarSampMatrix(number, number * number, number % 7) FROM numbers(20);
SELECT covarSampMatrix(number), corrMatrix(number), covarPopMatrix(number), toTypeName(covarPopMatrix(toNullable(number))) FROM numbers(1);
SELECT covarSampMatrix(number), covarPopMatrix(number) FROM numbers(0);
SELECT covarPopMatrixMerge(s) FROM (SELECT covarPopMatrixState(number, number % 7) AS s FROM numbers(20) GROUP BY number % 3);
-- error: ILLEGAL_TYPE_OF_ARGUMENT
SELECT covarSampMatrix('a');
SELECT gini(number), gini(toNullable(number)), toTypeName(gini(toNullable(number))), gini(toDecimal32(number, 2)), round(gini(number * 0.1), 14), gini(toInt8(number)) FROM numbers(10);
SELECT gini(100) FROM numbers(10);
SELECT gini(nan), gini(5), gini(0);
SELECT number % 2 AS k, gini(number) FROM numbers(20) GROUP BY k ORDER BY k;
-- error: BAD_ARGUMENTS
SELECT gini(-1.);
-- error: BAD_ARGUMENTS
SELECT gini(inf);
-- error: ILLEGAL_TYPE_OF_ARGUMENT
SELECT gini('a');
SELECT quantilePrometheusHistogram(0.9)(b, c), quantilesPrometheusHistogram(0.1, 0.5, 0.99)(b, c), toTypeName(quantilePrometheusHistogram(toFloat32(b), c)) FROM values('b Float64, c UInt32', (0, 0), (0.5, 10), (1, 11), (inf, 12));
SELECT quantilePrometheusHistogram(0.1)(b, c), quantilePrometheusHistogram(1)(b, c), quantilePrometheusHistogram(0)(b, c), quantilePrometheusHistogram(toFloat32(b), toFloat64(c)) FROM values('b Float64, c UInt32', (-0.5, 5), (0, 10), (0.5, 11), (1, 12), (inf, 15));
SELECT quantilePrometheusHistogram(b, c) FROM values('b Float64, c UInt32', (0.5, 10), (1, 11));
SELECT quantilePrometheusHistogram(b, c), quantilesPrometheusHistogram(0.1, 0.9)(b, c) FROM values('b Float64, c UInt32', (0.5, 10), (1, 11)) WHERE b > 7;
SELECT quantilePrometheusHistogramMerge(0.9)(s) FROM (SELECT quantilePrometheusHistogramState(0.9)(b, c) AS s FROM values('b Float64, c UInt32', (0, 0), (0.5, 10), (1, 11), (inf, 12)) GROUP BY b);
-- error: ILLEGAL_TYPE_OF_ARGUMENT
SELECT quantilePrometheusHistogram(number, number) FROM numbers(3);
-- error: PARAMETER_OUT_OF_BOUND
SELECT quantilePrometheusHistogram(1.5)(toFloat64(number), number) FROM numbers(3);
-- error: PARAMETER_OUT_OF_BOUND
SELECT quantile(1.5)(number) FROM numbers(3);
SELECT hex(studentTTestState(number, number % 2)), hex(studentTTestOneSampleState(number, 3)), hex(corrMatrixState(number, number + 1)), hex(covarPopMatrixState(toNullable(number))) FROM numbers(3);
