-- Texts that are no addresses become the default of their type where settings say so.
SELECT toIPv4('x'), toIPv6('x'), CAST('x' AS IPv4), 'y'::IPv6, CAST('x' AS Nullable(IPv4)), accurateCast('x', 'IPv4') SETTINGS cast_ipv4_ipv6_default_on_conversion_error = 1;
SELECT CAST(['x', '1.2.3.4'] AS Array(IPv4)), CAST(('x', 1) AS Tuple(IPv4, UInt8)), CAST(map('x', 'y') AS Map(IPv4, IPv6)) SETTINGS cast_ipv4_ipv6_default_on_conversion_error = 1;
SELECT toIPv4(arrayJoin(['x', '1.2.3.4', NULL])) AS a, toTypeName(a) SETTINGS cast_ipv4_ipv6_default_on_conversion_error = 1;
SELECT CAST(arrayJoin(['x', '1.2.3.4', NULL]) AS Nullable(IPv4)) SETTINGS cast_ipv4_ipv6_default_on_conversion_error = 1;
SELECT toIPv4OrNull('x'), toIPv4OrDefault('x'), accurateCastOrNull('x', 'IPv4'), IPv4StringToNum('x'), hex(IPv6StringToNum('x')) SETTINGS cast_ipv4_ipv6_default_on_conversion_error = 1;
-- error: CANNOT_PARSE_IPV4
SELECT toIPv4('1.2.3.4') = 'x' SETTINGS cast_ipv4_ipv6_default_on_conversion_error = 1;
-- error: CANNOT_PARSE_IPV4
SELECT CAST('[\'x\']' AS Array(IPv4)) SETTINGS cast_ipv4_ipv6_default_on_conversion_error = 1;
SELECT CAST('x' AS IPv4), CAST(materialize('x') AS IPv4), CAST(['x'] AS Array(IPv4)) SETTINGS input_format_ipv4_default_on_conversion_error = 1;
SELECT CAST(materialize('x') AS IPv6) SETTINGS input_format_ipv6_default_on_conversion_error = 1;
-- error: CANNOT_PARSE_IPV6
SELECT CAST('x' AS IPv6) SETTINGS input_format_ipv4_default_on_conversion_error = 1;
-- error: CANNOT_PARSE_IPV4
SELECT toIPv4('x') SETTINGS input_format_ipv4_default_on_conversion_error = 1;
SELECT * FROM format(Values, 'a IPv4, b Array(IPv4), c Nullable(IPv4)', '(\'x\', [\'y\', \'1.2.3.4\'], \'z\')') SETTINGS input_format_ipv4_default_on_conversion_error = 1;
-- error: CANNOT_PARSE_IPV4
SELECT * FROM format(TSV, 'a IPv4', 'x\n') SETTINGS input_format_ipv4_default_on_conversion_error = 1;
-- error: CANNOT_PARSE_IPV4
SELECT * FROM format(JSONEachRow, 'a IPv4', '{"a":"x"}') SETTINGS input_format_ipv4_default_on_conversion_error = 1;
CREATE TABLE addresses (a IPv4, b IPv6) ENGINE = Memory;
INSERT INTO addresses SETTINGS input_format_ipv4_default_on_conversion_error = 1, input_format_ipv6_default_on_conversion_error = 1 VALUES ('x', 'y');
INSERT INTO addresses SETTINGS cast_ipv4_ipv6_default_on_conversion_error = 1 SELECT materialize('x'), '::1';
-- error: CANNOT_PARSE_IPV4
INSERT INTO addresses SELECT 'x', '::1';
SELECT * FROM addresses ORDER BY ALL;
SELECT count() FROM addresses WHERE a = CAST('y' AS IPv4) SETTINGS cast_ipv4_ipv6_default_on_conversion_error = 1;
