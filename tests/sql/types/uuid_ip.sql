SELECT toUUID('61f0c404-5cb3-11e7-907b-a6006ad3dba0') AS u, toTypeName(u), toString(u), u = '61f0c404-5cb3-11e7-907b-a6006ad3dba0';
-- error: CANNOT_PARSE_UUID
SELECT toUUID('bad');
SELECT toUUIDOrNull('bad'), toUUIDOrZero('bad'), length(toString(generateUUIDv4()));
SELECT toIPv4('192.168.0.1') AS i, toTypeName(i), toUInt32(i), IPv4NumToString(3232235521), IPv4StringToNum('10.0.0.1');
SELECT toIPv6('2001:db8::1') AS i, toTypeName(i), toIPv6('::ffff:1.2.3.4');
-- error: CANNOT_PARSE_IPV4
SELECT toIPv4('300.1.1.1');
SELECT toIPv4OrNull('x'), toIPv6OrNull('x'), isIPv4String('1.2.3.4'), isIPv6String('::1');
SELECT toIPv4('10.0.0.2') > toIPv4('10.0.0.1'), IPv4CIDRToRange(toIPv4('192.168.5.2'), 16);
CREATE TABLE t (u UUID, i IPv4, j IPv6) ENGINE = MergeTree ORDER BY u;
INSERT INTO t VALUES ('61f0c404-5cb3-11e7-907b-a6006ad3dba0', '1.2.3.4', '::1'), ('00000000-0000-0000-0000-000000000001', '10.0.0.1', 'fe80::1');
SELECT * FROM t ORDER BY i;
SELECT i FROM t WHERE u = toUUID('00000000-0000-0000-0000-000000000001');
