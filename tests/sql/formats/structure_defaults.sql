-- Columns of a structure may say what they are where the data leaves them out.
SELECT * FROM format(JSONEachRow, 'a UInt8, b UInt8 DEFAULT a + 1', '{"a":1}{"a":2,"b":7}{"a":3,"b":null}');
SELECT * FROM format(CSV, 'a UInt8 DEFAULT 7, b String DEFAULT concat(\'x,\', toString(a))', ',\n5,\n6,q');
SELECT b FROM format(CSV, 'a UInt8 DEFAULT 7, b String DEFAULT concat(\'x,\', toString(a))', ',\n5,\n6,q') WHERE a > 5;
SELECT *, m FROM format(JSONEachRow, 'a UInt8, m UInt16 MATERIALIZED a * 2', '{"a":1}');
SELECT a, l FROM format(JSONEachRow, 'a UInt8, l UInt16 ALIAS a * 3', '{"a":1}');
SELECT * FROM format(JSONEachRow, 'a UInt8, b UInt16 DEFAULT c + 1, c UInt16 DEFAULT a * 10', '{"a":1}');
SELECT count() FROM format(JSONEachRow, 'a UInt8, b UInt8 DEFAULT a + 1', '{"a":1}{"a":2}');
