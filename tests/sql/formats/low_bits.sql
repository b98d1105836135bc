-- Integers that their type does not hold keep their low bits in text; an array of CSV needs no brackets.
SELECT * FROM format(CSV, 'a UInt8', '256\n300\n"257"\n');
SELECT * FROM format(TSV, 'a Int8', '128\n-200\n');
SELECT * FROM format(TSV, 'a UInt64, b Int64, c Int32', '18446744073709551616\t9223372036854775808\t2147483648\n99999999999999999999999\t-9223372036854775809\t-1\n');
SELECT * FROM format(JSONEachRow, 'a UInt8, b Array(UInt8), c Nullable(UInt16), d Int128', '{"a":300,"b":[256,"257"],"c":65537,"d":170141183460469231731687303715884105728}');
SELECT * FROM format(JSONStringsEachRow, 'a UInt16', '{"a":"65537"}');
SELECT * FROM format(Values, 'a UInt8, b Map(UInt8, Int8)', '(300, {300:300})');
SELECT * FROM format(TSV, 'a Tuple(UInt8, Int8), b Map(UInt8, Int8)', '(300,300)\t{256:255}\n');
-- error: CANNOT_PARSE_NUMBER
SELECT * FROM format(CSV, 'a UInt8', '-1\n');
-- error: UNKNOWN_ELEMENT_OF_ENUM
SELECT * FROM format(TSV, 'a Enum8(\'a\' = 0, \'b\' = 44)', '300');
CREATE TABLE low_bits (a UInt8, b Int16) ENGINE = Memory;
INSERT INTO low_bits VALUES (300, 65536), (255, -32769);
SELECT * FROM low_bits ORDER BY a;
SELECT * FROM format(CSV, 'n UInt8, a Array(UInt8), s String', '1,"1,2",x\n1,"[3,4]",x\n1,7,x\n1,,x\n1,[],x\n1,"8",x\n');
SELECT * FROM format(CSV, 'n UInt8, a Array(String)', '1,"\'a\',\'b\'"\n');
