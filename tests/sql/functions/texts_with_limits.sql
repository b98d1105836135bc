SELECT toIPv6(toFixedString('', 16)), toFixedString('2001:db8::10:ab1', 16)::IPv6, toIPv6(toFixedString('::1', 5)), toIPv6OrNull(toFixedString('abcdabcdabcdabcd', 16));
SELECT toIPv4OrDefault(x), toInt32OrDefault(x), accurateCastOrDefault(x, 'Int32') FROM values('x Nullable(String)', '', NULL, '1') SETTINGS cast_keep_nullable = 1;
SELECT toIPv4OrDefault(x), toInt32OrDefault(x) FROM values('x Nullable(String)', '', NULL, '1');
-- error: BAD_ARGUMENTS
SELECT extractGroups('hello world', '\\w+');
-- error: ILLEGAL_COLUMN
SELECT extractGroups('hello world', materialize('(\\w+)'));
-- error: ILLEGAL_COLUMN
SELECT extractAllGroups('hello world', materialize('(\\w+)'));
SELECT bitAnd(bitShiftRight(generateSnowflakeID(1, 123), 12), 1023), bitAnd(bitShiftRight(generateSnowflakeID(1, 1029), 12), 1023);
-- error: ILLEGAL_TYPE_OF_ARGUMENT
SELECT generateSnowflakeID(1, 'x');
-- error: ILLEGAL_COLUMN
SELECT generateSnowflakeID(1, materialize(2));
SELECT JSON_VALUE('{"hello":1}', '$[hello]'), JSON_QUERY('{"hello":{"a1":2}}', '$.hello[ a1 ]');
-- error: TOO_LARGE_STRING_SIZE
SELECT space(1000001);
-- error: TOO_LARGE_STRING_SIZE
SELECT space(18446744073709551615);
-- error: TOO_LARGE_STRING_SIZE
SELECT repeat('a', 18446744073709551615);
SELECT length(space(-1)), length(space(1000000)), repeat('ab', 2);
SELECT extractKeyValuePairs('key:"a"b:c d:e'), extractKeyValuePairs('key:"a"key2:"b"'), extractKeyValuePairsWithEscaping('key:x"a"b:c d:e');
-- error: BAD_ARGUMENTS
SELECT extractKeyValuePairs('a:1', ':', '123456789');
-- error: LIMIT_EXCEEDED
SELECT extractKeyValuePairs('a:1,b:2') SETTINGS extract_key_value_pairs_max_pairs_per_row = 1;
SELECT length(extractKeyValuePairs(arrayStringConcat(arrayMap(x -> toString(x) || ':1', range(1001)), ','))) SETTINGS extract_key_value_pairs_max_pairs_per_row = 0;
SELECT domainRFC('[2001:db8::1]:80'), domainRFC('[2001db81]:80'), domainRFC('[::ffff:1.2.3.4]:80'), domainRFC('http://user@[::1]:80/'), domainRFC('[2001::db;81]'), portRFC('[2001db81]:80');
