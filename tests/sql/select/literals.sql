-- The types of literals are the narrowest that hold them.
SELECT 1, -1, 255, 256, 65536, 4294967296, -128, -129, -32769;
SELECT toTypeName(1), toTypeName(-1), toTypeName(255), toTypeName(256), toTypeName(65536), toTypeName(4294967296);
SELECT toTypeName(-128), toTypeName(-129), toTypeName(-32769), toTypeName(-2147483649);
SELECT 1.5, -0.25, 1e3, 1e-3, 1.0, 0.1 + 0.2, toTypeName(1.0);
SELECT inf, -inf, nan, toTypeName(nan);
SELECT 0xFF, 0b101, 1_000_000;
SELECT 'text', 'it''s', 'it\'s', 'a\tb\nc\\d', '\x41';
SELECT toTypeName('x'), toTypeName(NULL), toTypeName(true), true, false;
SELECT [1, 2, 3], toTypeName([1, 2, 3]), toTypeName([1, -1]), toTypeName([1, 300]), [], toTypeName([]);
SELECT ('a', 1), toTypeName(('a', 1)), (1, (2, 'x'));
SELECT [1, NULL], toTypeName([1, NULL]), ['a', 'b'];
SELECT map('a', 1, 'b', 2), toTypeName(map('a', 1));
SELECT map('k', 1)['k'], map('k', 1)['missing'];
SELECT DATE '2024-01-31', TIMESTAMP '2024-01-31 12:00:00', toTypeName(DATE '2024-01-31');
SELECT 'unicode: жµ日本', length('жµ日本'), lengthUTF8('жµ日本');
SELECT $$a 'quoted' text$$;
SELECT 18446744073709551615, toTypeName(18446744073709551615), toTypeName(9223372036854775808);
