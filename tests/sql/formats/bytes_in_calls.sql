-- Data in a call of format() are bytes, be they UTF-8 or not.
SELECT hex(s), length(s) FROM format('TSV', 's String', 'a\xffb\n\xfe');
SELECT hex(s) FROM format('CSV', 's String', concat('x', unhex('80'), 'y'));
SELECT hex(s), hex(n) FROM format('RowBinary', 's String, n UInt8', '\x02\xff\xfe\x07');
SELECT hex(line) FROM format('LineAsString', '\xff\xfe\nb');
