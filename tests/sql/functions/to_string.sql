SELECT toString(0), toString(-128), toString(18446744073709551615), toString(1.5), toString(-0.0), toString(nan), toString(inf);
SELECT toString(toDate('2024-01-31')), toString(toDateTime('2024-01-31 01:02:03')), toString(toDateTime64('2024-01-31 01:02:03.004', 3));
SELECT toString(true), toString(toUUID('61f0c404-5cb3-11e7-907b-a6006ad3dba0')), toString(toIPv4('1.2.3.4')), toString(toDecimal32('1.20', 2));
SELECT toString([1, 2]), toString(['a', 'b']), toString((1, 'a')), toString(map('a', 1)), toString([toDate('2024-01-01')]);
SELECT toString(toNullable(5)), toString(NULL), toTypeName(toString(toNullable(5)));
SELECT toString(1e5), toString(1e20), toString(1e21), toString(1e-5), toString(1e-7), toString(toFloat32(0.1)), toString(123456789.0);
SELECT concat(1, 'a', 2.5, toDate('2024-01-01')), 1 || 'x';
SELECT max(toString(number)), min(toString(number)) FROM numbers(100);
