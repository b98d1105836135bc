-- What is written by its digits in base 2 and 16.
SELECT 0x1p3, 0x1.8p1, 0x1.8, 0xap-1, 0x1P+3, -0x1p3, toTypeName(0x1p3);
SELECT 0x10, 0b101, 0xFF + 1;
SELECT x'4142', X'41', b'01000001', B'0100000101000010', x'', b'', toTypeName(x'41'), toTypeName(b'1');
SELECT hex(x'414'), hex(b'1'), x'4142' = 'AB', length(x'00ff');
SELECT x'4142', b'01000001' FORMAT TSVWithNames;
SELECT b, x FROM (SELECT 1 AS b, 2 AS x);
-- error: SYNTAX_ERROR
SELECT x'zz';
