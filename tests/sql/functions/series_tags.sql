SELECT timeSeriesRange('2025-06-01 00:00:00'::DateTime64(3, 'UTC'), '2025-06-01 00:01:00'::DateTime64(3, 'UTC'), 30) AS x, toTypeName(x);
SELECT timeSeriesRange(toDateTime('2025-06-01 00:00:00', 'UTC'), toDateTime('2025-06-01 00:01:10', 'UTC'), 30) AS x, toTypeName(x), timeSeriesRange(toUInt32(5), toUInt32(10), 2) AS y, toTypeName(y), timeSeriesRange(toUInt32(5), toUInt32(6), toDecimal32(0.5, 1)) AS z, toTypeName(z), timeSeriesRange(toDateTime64('2025-06-01 00:00:00', 3, 'UTC'), toDateTime64('2025-06-01 00:00:01', 3, 'UTC'), 0.4::Decimal64(6)) AS w, toTypeName(w);
-- error: BAD_ARGUMENTS
SELECT timeSeriesRange(toUInt32(5), toUInt32(4), 2);
SELECT timeSeriesRange(toUInt32(5), toUInt32(5), 0);
-- error: BAD_ARGUMENTS
SELECT timeSeriesRange(toUInt32(5), toUInt32(6), 0);
-- error: BAD_ARGUMENTS
SELECT timeSeriesRange(toUInt32(5), toUInt32(6), -1);
-- error: ILLEGAL_TYPE_OF_ARGUMENT
SELECT timeSeriesRange(toUInt32(5), toUInt32(6), 0.5);
SELECT timeSeriesRange(toDateTime64('2025-06-01 00:00:00', 3, 'UTC'), toDateTime('2025-06-01 00:01:00', 'UTC'), 30) AS x, toTypeName(x);
SELECT timeSeriesRange(toDateTime('2025-06-01 00:00:00', 'UTC'), toUInt32(1748736060), 30) AS x, toTypeName(x);
-- error: ILLEGAL_TYPE_OF_ARGUMENT
SELECT timeSeriesRange(5, 10, 2) AS x, toTypeName(x);
-- error: ILLEGAL_TYPE_OF_ARGUMENT
SELECT timeSeriesRange('a', 10, 2) AS x, toTypeName(x);
SELECT timeSeriesRange(materialize(toUInt32(5)), toUInt32(10), 2) AS x, toTypeName(x);
SELECT timeSeriesRange(NULL, toUInt32(10), 2) AS x, toTypeName(x);
SELECT timeSeriesFromGrid('2025-06-01 00:00:00'::DateTime64(3, 'UTC'), '2025-06-01 00:01:30.000'::DateTime64(3, 'UTC'), 30, [10, 20, NULL, 30]) AS result, toTypeName(result);
SELECT timeSeriesFromGrid(toUInt32(0), toUInt32(90), 30, [10., 20, 3, 30]) AS result, toTypeName(result);
-- error: BAD_ARGUMENTS
SELECT timeSeriesFromGrid(toUInt32(0), toUInt32(90), 30, [1]::Array(Float32)) AS result, toTypeName(result);
SELECT timeSeriesFromGrid(toUInt32(0), toUInt32(90), 30, [1,2,3,4]::Array(Float32)) AS result, toTypeName(result);
-- error: BAD_ARGUMENTS
SELECT timeSeriesFromGrid(toUInt32(0), toUInt32(90), 30, ['a']) AS result, toTypeName(result);
-- error: BAD_ARGUMENTS
SELECT timeSeriesFromGrid(toUInt32(0), toUInt32(90), 30, []) AS result, toTypeName(result);
SELECT timeSeriesFromGrid(toDateTime('2025-06-01 00:00:00', 'UTC'), toDateTime('2025-06-01 00:00:00', 'UTC'), 0, [1]) AS result, toTypeName(result);
SELECT timeSeriesMetricTypeToSuffixes('histogram') AS x, toTypeName(x), timeSeriesMetricTypeToSuffixes('counter'), timeSeriesMetricTypeToSuffixes('gauge'), timeSeriesMetricTypeToSuffixes('summary'), timeSeriesMetricTypeToSuffixes('foo'), timeSeriesMetricTypeToSuffixes(''), timeSeriesMetricTypeToSuffixes('info'), timeSeriesMetricTypeToSuffixes('stateset'), timeSeriesMetricTypeToSuffixes('unknown'), timeSeriesMetricTypeToSuffixes('gaugehistogram'), timeSeriesMetricTypeToSuffixes('HISTOGRAM'), timeSeriesMetricTypeToSuffixes('untyped');
-- error: ILLEGAL_TYPE_OF_ARGUMENT
SELECT timeSeriesMetricTypeToSuffixes(1);
SELECT timeSeriesPrometheusValueToString(1e-7), timeSeriesPrometheusValueToString(-0.), timeSeriesPrometheusValueToString(nan), timeSeriesPrometheusValueToString(inf), timeSeriesPrometheusValueToString(-inf), timeSeriesPrometheusValueToString(1e22), timeSeriesPrometheusValueToString(toFloat32(0.1)), timeSeriesPrometheusValueToString(1.5), timeSeriesPrometheusValueToString(1e300);
-- error: ILLEGAL_TYPE_OF_ARGUMENT
SELECT timeSeriesPrometheusValueToString(5);
SELECT timeSeriesTagsToMap([('region', 'eu'), ('env', 'dev')], '__name__', 'http_requests_count') AS tags, toTypeName(tags), timeSeriesTagsToMap([('b','2'),('a','1'),('b','2'),('c','')]), timeSeriesTagsToMap(NULL, 'a', NULL, 'b', 'c'), timeSeriesTagsToMap(map('z','1','a','2')), timeSeriesTagsToMap([]);
-- error: BAD_ARGUMENTS
SELECT timeSeriesTagsToMap([('b','2'),('b','3')]);
-- error: NUMBER_OF_ARGUMENTS_DOESNT_MATCH
SELECT timeSeriesTagsToMap([('b','2')], 'b');
-- error: ILLEGAL_TYPE_OF_ARGUMENT
SELECT timeSeriesTagsToMap('a');
-- error: BAD_ARGUMENTS
SELECT timeSeriesTagsToMap([('b', '2')], 'b', 'x');
SELECT timeSeriesTagsToMap([('b', '2')], materialize('c'), 'x');
-- error: ILLEGAL_TYPE_OF_ARGUMENT
SELECT timeSeriesTagsToMap([('b', '2')], 5, 'x');
SELECT timeSeriesTagsToMap([(toFixedString('b', 2), '2')], toFixedString('c', 2), toNullable('x'));
SELECT timeSeriesTagsToGroup([('region', 'eu'), ('env', 'dev')], '__name__', 'http_requests_count') AS group1, timeSeriesTagsToGroup([], '__name__', 'http_failures') AS group2, timeSeriesTagsToGroup([]) AS empty_group, timeSeriesTagsToGroup([], '__name__', 'http_failures') AS same_group2, timeSeriesGroupToTags(group2), toTypeName(group1), toTypeName(timeSeriesGroupToTags(group2));
-- error: ILLEGAL_TYPE_OF_ARGUMENT
SELECT timeSeriesGroupToTags(5);
-- error: BAD_ARGUMENTS
SELECT timeSeriesIdToTags(5);
-- error: ILLEGAL_TYPE_OF_ARGUMENT
SELECT timeSeriesGroupToTags(0) AS x, toTypeName(x);
-- error: BAD_ARGUMENTS
SELECT timeSeriesGroupToTags(toUInt64(5));
SELECT timeSeriesTagsToGroup([('region', 'eu'), ('env', 'dev')], '__name__', 'up') AS g, timeSeriesRemoveTag(g, '__name__') AS a, timeSeriesGroupToTags(a), timeSeriesRemoveTags(g, ['env', 'x']) AS b, timeSeriesGroupToTags(b), timeSeriesRemoveAllTagsExcept(g, ['env', 'y']) AS c, timeSeriesGroupToTags(c), timeSeriesExtractTag(g, 'env') AS d, toTypeName(d), timeSeriesExtractTag(g, 'x'), toTypeName(c);
SELECT timeSeriesTagsToGroup([('region', 'eu'), ('env', 'dev')], '__name__', 'up') AS dest_group, timeSeriesTagsToGroup([('code', '404'), ('message', 'Page not found')], '__name__', 'http_codes') AS src_group, timeSeriesGroupToTags(timeSeriesCopyTag(dest_group, src_group, '__name__')), timeSeriesGroupToTags(timeSeriesCopyTags(dest_group, src_group, ['__name__', 'code', 'env']));
SELECT timeSeriesTagsToGroup([('__name__', 'up'), ('job', 'api-server'), ('src1', 'a'), ('src2', 'b'), ('src3', 'c')]) AS group, timeSeriesGroupToTags(timeSeriesJoinTags(group, 'foo', ',', ['src1', 'src2', 'nosuch', 'src3'])), timeSeriesGroupToTags(timeSeriesJoinTags(group, 'job', ',', [])), timeSeriesGroupToTags(timeSeriesJoinTags(group, 'q', '-', ['src1']));
SELECT timeSeriesTagsToGroup([('__name__', 'up'), ('job', 'api-server'), ('service', 'a:c')]) AS group, timeSeriesGroupToTags(timeSeriesReplaceTag(group, 'foo', '$1', 'service', '(.*):.*')), timeSeriesGroupToTags(timeSeriesReplaceTag(group, 'foo', '$1', 'service', '(.*)x')), timeSeriesGroupToTags(timeSeriesReplaceTag(group, 'foo', '${n}-$2-$$', 'service', '(?P<n>.*):(.*)')), timeSeriesGroupToTags(timeSeriesReplaceTag(group, 'service', '', 'service', '.*')), timeSeriesGroupToTags(timeSeriesReplaceTag(group, 'foo', 'bar', 'nosuch', '')), timeSeriesGroupToTags(timeSeriesReplaceTag(group, 'foo', 'bar', 'nosuch', '.+')), timeSeriesGroupToTags(timeSeriesReplaceTag(group, 'foo', '$1x', 'service', '(a):c'));
SELECT timeSeriesTagsToGroup([('a', '1')]) AS g, timeSeriesThrowDuplicateSeriesIf(0, g) AS x, toTypeName(x);
-- error: CANNOT_EXECUTE_PROMQL_QUERY
SELECT timeSeriesTagsToGroup([('a', '1')]) AS g, timeSeriesThrowDuplicateSeriesIf(1, g) AS x, toTypeName(x);
SELECT 8374283493092 AS id, timeSeriesStoreTags(id, [('region', 'eu'), ('env', 'dev')], '__name__', 'http_requests_count') AS same_id, timeSeriesIdToTags(same_id) AS x, toTypeName(x), timeSeriesIdToGroup(same_id) AS y, toTypeName(y), toTypeName(same_id);
SELECT number, timeSeriesTagsToGroup([('a', toString(number % 3))]) AS g, timeSeriesGroupToTags(g) FROM numbers(6);
SELECT timeSeriesGroupToTags(NULL);
SELECT timeSeriesRange(toUInt32(5), toUInt32(6), toDecimal64(0.25, 4)) AS z, toTypeName(z), timeSeriesRange(toDateTime('2025-06-01 00:00:00', 'UTC'), toDateTime64('2025-06-01 00:00:01', 3, 'UTC'), 0.5::Decimal32(1)) AS w, toTypeName(w), timeSeriesRange(toDateTime64('1960-06-01 00:00:00', 3, 'UTC'), toDateTime64('1960-06-01 00:00:02', 3, 'UTC'), toUInt64(1)) AS v, toTypeName(v), timeSeriesRange(toDateTime64('2025-06-01 00:00:00', 3, 'UTC'), toDateTime64('2025-06-01 00:00:01', 6, 'UTC'), 1) AS u, toTypeName(u);
-- error: BAD_ARGUMENTS
SELECT timeSeriesRange(toUInt32(5), toUInt32(4294967295), 1000000000), timeSeriesRange(toDateTime('2025-06-01 00:00:00', 'UTC'), toDateTime('2025-06-01 00:00:01', 'Europe/Berlin'), 1) AS x, toTypeName(x), timeSeriesRange(toDateTime('2025-06-01 00:00:00'), toDateTime('2025-06-01 00:00:01', 'Europe/Berlin'), 1) AS y, toTypeName(y);
-- error: ILLEGAL_TYPE_OF_ARGUMENT
SELECT timeSeriesRange(toUInt64(5), toUInt32(6), 1) AS x, toTypeName(x);
-- error: ILLEGAL_TYPE_OF_ARGUMENT
SELECT timeSeriesRange(toDate('2020-01-01'), toUInt32(6), 1) AS x, toTypeName(x);
-- error: ILLEGAL_TYPE_OF_ARGUMENT
SELECT timeSeriesRange(toUInt32(5), toUInt32(6), toInt128(1)) AS x, toTypeName(x);
SELECT timeSeriesRange(toNullable(toUInt32(5)), toUInt32(6), toUInt8(1)) AS x, toTypeName(x);
-- error: NUMBER_OF_ARGUMENTS_DOESNT_MATCH
SELECT timeSeriesRange(toUInt32(5), toUInt32(6));
SELECT timeSeriesFromGrid(toUInt32(0), toUInt32(90), 30, [1, NULL, 3, 4]::Array(Nullable(Float64))) AS result, toTypeName(result);
SELECT timeSeriesFromGrid(toUInt32(0), toUInt32(90), 30, materialize(['a', 'b', 'c', 'd'])) AS result, toTypeName(result);
-- error: ILLEGAL_TYPE_OF_ARGUMENT
SELECT timeSeriesFromGrid(toUInt32(0), toUInt32(90), 30, 'a') AS result, toTypeName(result);
SELECT timeSeriesGroupToSamplingKey(timeSeriesTagsToGroup([('a', 'b')], '__name__', 'm')), timeSeriesGroupToSamplingKey(timeSeriesTagsToGroup([('a', 'b')])), timeSeriesGroupToSamplingKey(timeSeriesTagsToGroup([('region', 'eu'), ('env', 'a value that is longer than sixty-four bytes, so that all of the hash is needed')], '__name__', 'http_requests_count')), timeSeriesGroupToSamplingKey(0::UInt64), timeSeriesGroupToSamplingKey(NULL);
-- error: BAD_ARGUMENTS
SELECT timeSeriesGroupToSamplingKey(100::UInt64);
-- error: ILLEGAL_TYPE_OF_ARGUMENT
SELECT timeSeriesGroupToSamplingKey(0);
