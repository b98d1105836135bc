SELECT * FROM format(TSV, 'a Int32, b String', '1\ttab\\there\n2\tback\\\\slash') ORDER BY a;
SELECT * FROM format(TSV, 'a Nullable(Int32), b Array(String)', '\\N\t[\'x\',\'y\']');
SELECT * FROM format(TSVWithNames, 'b\ta\nx\t1');
SELECT * FROM format(TSVWithNamesAndTypes, 'a\tb\nUInt8\tString\n1\tx');
-- error: CANNOT_PARSE_INPUT_ASSERTION_FAILED
SELECT * FROM format(TSV, 'a Int32, b Int32', '1');
SELECT * FROM format(TSV, 'd Date, t DateTime, f Float64, b Bool', '2024-01-01\t2024-01-01 01:02:03\t-1.5\ttrue');
DESCRIBE TABLE format(TSV, '1\t1.5\tabc\t2024-01-01\t[1,2]');
SELECT * FROM format(TSKV, 'a UInt8, b String', 'a=1\tb=x\na=2\tb=y\n') ORDER BY a;
SELECT * FROM format(Values, 'a Int32, b String', '(1, \'x\'), (2, \'y\')') ORDER BY a;
