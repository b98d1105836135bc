-- Columns of a Nested out of an ORC file that has it whole; addresses in arrays.
INSERT INTO FUNCTION file('n.orc') SELECT [(number, 'x'), (number + 1, 'y')]::Array(Tuple(a Int32, b String)) AS n, number AS c FROM numbers(2);
SELECT n.a, n.b, c FROM file('n.orc', ORC, 'n Nested(a Int64, b String), c UInt8') ORDER BY c;
SELECT n.b FROM file('n.orc', ORC, '`n.b` Array(String), c UInt8') ORDER BY c;
CREATE TABLE t (c UInt8, n Nested(a Int64, b String)) ENGINE = Memory;
INSERT INTO t FROM INFILE 'n.orc';
SELECT * FROM t ORDER BY c;
INSERT INTO FUNCTION file('ip.orc') SELECT [toIPv6('2001:db8::1'), toIPv6('::')] AS a, map('k', toIPv6('::2')) AS m, toIPv6('::3') AS i;
SELECT * FROM file('ip.orc', ORC, 'a Array(IPv6), m Map(String, IPv6), i IPv6');
