SELECT logTrace('x') AS a, toTypeName(a);
-- error: ILLEGAL_TYPE_OF_ARGUMENT
SELECT logTrace(materialize('x')) AS a;
-- error: ILLEGAL_TYPE_OF_ARGUMENT
SELECT logTrace(1) AS a;
SELECT toTypeName(tid()), tid() > 0;
SELECT flipCoordinates((1.0, 2.0)) AS x, toTypeName(x), flipCoordinates([(1.0, 2.0), (3.0, 4.0)]), flipCoordinates([[(1.0, 2.0), (3.0, 4.0)], [(5.0, 6.0), (7.0, 8.0)]]) AS y, toTypeName(y), flipCoordinates([[[(1., 2.)]]]);
-- error: ILLEGAL_TYPE_OF_ARGUMENT
SELECT flipCoordinates((1, 2)) AS x, toTypeName(x);
-- error: ILLEGAL_TYPE_OF_ARGUMENT
SELECT flipCoordinates(1);
-- error: ILLEGAL_TYPE_OF_ARGUMENT
SELECT flipCoordinates([]) AS x, toTypeName(x);
SELECT flipCoordinates((1.0, 2.0)::Point) AS x, toTypeName(x), flipCoordinates([(1.,2.)]::Ring) AS y, toTypeName(y), flipCoordinates([[(1.,2.)]]::Polygon) AS z, toTypeName(z);
-- error: NOT_IMPLEMENTED
SELECT toTypeName(transactionID()), transactionID(), transactionLatestSnapshot(), toTypeName(transactionOldestSnapshot()), transactionOldestSnapshot();
SELECT zookeeperSessionUptime();
-- error: CLUSTER_DOESNT_EXIST
SELECT getServerPort('tcp_port');
-- error: CLUSTER_DOESNT_EXIST
SELECT getServerPort('foo');
-- error: CLUSTER_DOESNT_EXIST
SELECT getServerPort('http_port');
SELECT getMaxTableNameLengthForDatabase('default') AS x, toTypeName(x);
SELECT getMaxTableNameLengthForDatabase('nosuch') AS x, toTypeName(x);
-- error: INCORRECT_DATA
SELECT getMaxTableNameLengthForDatabase('') AS x, toTypeName(x);
SELECT getMaxTableNameLengthForDatabase('systemsystem') AS x, toTypeName(x);
SELECT currentRequestURL() AS x, toTypeName(x), currentHandler() AS y, toTypeName(y);
-- error: FUNCTION_NOT_ALLOWED
SELECT getClientHTTPHeader('x');
SELECT getClientHTTPHeader('x') SETTINGS allow_get_client_http_header = 1;
SELECT lowCardinalityIndices(toLowCardinality(materialize('a'))) AS x, toTypeName(x), lowCardinalityKeys(toLowCardinality(materialize('a'))) AS y, toTypeName(y);
-- error: ILLEGAL_TYPE_OF_ARGUMENT
SELECT lowCardinalityIndices('a');
-- error: DEPRECATED_FUNCTION
SELECT runningAccumulate(k) FROM (SELECT number, sumState(number) AS k FROM numbers(4) GROUP BY number ORDER BY number);
SELECT number, runningAccumulate(initializeAggregation('sumState', number)) AS r, toTypeName(r) FROM numbers(4) SETTINGS allow_deprecated_error_prone_window_functions = 1;
SELECT number, runningAccumulate(initializeAggregation('uniqExactState', number), intDiv(number, 2)) FROM numbers(5) SETTINGS allow_deprecated_error_prone_window_functions = 1;
-- error: ILLEGAL_TYPE_OF_ARGUMENT
SELECT runningAccumulate(1) SETTINGS allow_deprecated_error_prone_window_functions = 1;
SELECT partitionId(toDate('2020-01-01')) AS x, toTypeName(x), partitionId(1), partitionId('a'), partitionId(1, 2), partitionId(toDateTime('2020-01-01 00:00:00', 'UTC')), partitionId(-5), partitionId(1.5), partitionId('2020-01-01'), partitionID(toUInt256(5)), partitionId(toUUID('61f0c404-5cb3-11e7-907b-a6006ad3dba0'));
-- error: NUMBER_OF_ARGUMENTS_DOESNT_MATCH
SELECT partitionId();
SELECT __bitSwapLastTwo(1), __bitSwapLastTwo(2), __bitSwapLastTwo(3), __bitWrapperFunc(0), __bitWrapperFunc(5), __bitBoolMaskOr(1, 2), __bitBoolMaskAnd(1, 2);
SELECT nested(['a', 'b'], ['key_1', 'key_2'], ['value_1','value_2']) AS x, toTypeName(x);
-- error: SIZES_OF_ARRAYS_DONT_MATCH
SELECT nested(['keys', 'values'], ['key_1', 'key_2'], ['value_1']) AS x, toTypeName(x);
-- error: ILLEGAL_TYPE_OF_ARGUMENT
SELECT nested([], [1]);
-- error: BAD_ARGUMENTS
SELECT nested(['a'], [1], [2]);
-- error: DUPLICATE_COLUMN
SELECT nested(['a', 'a'], [1], [2]);
-- error: ILLEGAL_TYPE_OF_ARGUMENT
SELECT nested(['a'], 1);
SELECT __toYearCalendarOnly(toDate('2020-01-01')) AS x, toTypeName(x);
SELECT validateNestedArraySizes(1, [1], [2]);
-- error: SIZES_OF_ARRAYS_DONT_MATCH
SELECT validateNestedArraySizes(1, [1], [2], [3,4]);
SELECT partitionId(true), partitionId(toInt128(5)), partitionId(toUInt128(5)), partitionId(toDateTime64('2020-01-01 00:00:00', 3, 'UTC')), partitionId(toFixedString('abc', 3)), partitionId(toDecimal32(1.5, 1)), partitionId(toDate32('2020-01-01')), partitionId(toIPv4('1.2.3.4')), partitionId(toLowCardinality('a')), partitionId('a', 1), partitionId(toDate('2020-01-01'), 5), partitionId(toDate('2020-01-01'), toDate('2021-01-01')), partitionId(CAST('a', 'Enum8(\'a\' = 3)')), partitionId(NULL), partitionId(toNullable(5)), partitionId('x', 'y');
SELECT lowCardinalityKeys(toLowCardinality(number % 3)) k, lowCardinalityIndices(toLowCardinality(number % 3)) i FROM numbers(5) SETTINGS allow_suspicious_low_cardinality_types = 1;
