SELECT version() != '', currentDatabase(), currentUser() != '', hostName() != '', uptime() >= 0, timezone(), bar(5, 0, 10, 10);
SELECT toTypeName(rand()), rand() >= 0, randConstant() >= 0, length(randomString(5)), toTypeName(generateUUIDv4()), length(toString(generateUUIDv7()));
SELECT rowNumberInAllBlocks(), blockNumber() >= 0 FROM numbers(3) LIMIT 2;
SELECT runningDifference(1), neighbor(1, 0) SETTINGS allow_deprecated_error_prone_window_functions = 1;
SELECT blockSize() > 0;
SELECT toColumnTypeName(1);
-- gap: Function with name 'getTypeSerializationStreams' does not exist. (UNKNOWN_FUNCTION)
SELECT getTypeSerializationStreams(1) != [];
SELECT errorCodeToName(60);
SELECT isDecimalOverflow(toDecimal32(1, 0), 1);
SELECT countDigits(12345);
-- gap: Function with name 'formatRow' does not exist. (UNKNOWN_FUNCTION)
SELECT formatRow('CSV', 1, 'a');
-- gap: Function with name 'formatRowNoNewline' does not exist. (UNKNOWN_FUNCTION)
SELECT formatRowNoNewline('TSV', 1, 'a');
SELECT tuple(1, 2), tupleElement((1, 2), 1), tupleConcat((1,), (2,));
SELECT tupleHammingDistance((1, 2), (1, 3));
SELECT tuplePlus((1, 2), (3, 4));
SELECT (1, 2) + (3, 4);
SELECT dotProduct((1, 2), (3, 4));
SELECT byteSize(1, 'a'), defaultValueOfArgumentType(1), defaultValueOfTypeName('String'), toTypeName(defaultValueOfTypeName('Int32')), isNull(NULL), isNotNull(1);
SELECT least(1, 2) + greatest(3, 4), sleep(0), ignore('x') FROM numbers(3);
SELECT finalizeAggregation(sumState(number)) FROM numbers(3);
SELECT L1Norm((1, -2));
SELECT L2Norm((3., 4.));
SELECT LinfNorm((1, -2));
SELECT cosineDistance((1., 0.), (0., 1.));
SELECT L2Distance((0., 0.), (3., 4.));
SELECT domainWithoutWWW('http://www.a.b/'), protocol('https://a'), path('http://a/b/c?d'), queryString('http://a/?x=1'), fragment('http://a#f'), port('http://a:81/'), topLevelDomain('http://a.org'), firstSignificantSubdomain('https://news.a.com/'), cutToFirstSignificantSubdomain('https://news.a.com/');
SELECT domain('https://user@www.example.com:80/a?x=1#f');
SELECT extractURLParameter('http://a/?x=1&y=2', 'y'), extractURLParameters('http://a/?x=1&y=2'), cutURLParameter('http://a/?x=1&y=2', 'x'), cutQueryString('http://a/?b'), URLHierarchy('http://a/b/c'), netloc('http://u@a:1/'), cutFragment('http://a#b'), cutWWW('http://www.a/'), pathFull('http://a/b?c');
SELECT L1Distance((1, 2), (3, 5)), L2SquaredDistance((1, 2), (3, 5)), LinfDistance((1, 2), (3, 5)), L2SquaredNorm((3, 4)), LpNorm((3, 4), 2), LpDistance((1, 2), (3, 4), 3), toTypeName(L1Norm((1, -2))), toTypeName(L2SquaredDistance((1, 2), (3, 5)));
SELECT L2SquaredNorm([3, 4]), LpNorm([3, 4], 2), LpDistance([1, 2], [3, 4], 3), L1Normalize((3, 4)), L2Normalize((3, 4)), LinfNormalize((3, 4));
SELECT domain('http://a:b@c.com/'), domain('user@host.org/x'), domain('http://a.b@c.d/'), port('http://user@a.com:80/'), domainWithoutWWW('https://user@www.example.com:80/a'), topLevelDomain('http://user@a.org/'), domain('http://user@localhost/');
SELECT runningDifference(number * number), neighbor(number, 1), neighbor(number, -1, 77), toTypeName(runningDifference(toUInt8(number))) FROM numbers(3) SETTINGS allow_deprecated_error_prone_window_functions = 1;
-- error: DEPRECATED_FUNCTION
SELECT runningDifference(1);
SELECT toColumnTypeName(materialize(toNullable(1))), toColumnTypeName([toDate('2024-01-01')]), toColumnTypeName(materialize(toDecimal32(1, 1)));
SELECT isDecimalOverflow(toDecimal32(1000000000, 0), 9), isDecimalOverflow(toDecimal64(123.45, 2), 4), isDecimalOverflow(toDecimal32(100, 2), 5);
