-- A row for each file, whatever is in it.
INSERT INTO FUNCTION file('one_a.txt', 'LineAsString', 's String') SELECT number FROM numbers(3) SETTINGS engine_file_truncate_on_insert = 1;
INSERT INTO FUNCTION file('one_b.txt', 'LineAsString', 's String') SELECT number FROM numbers(5) SETTINGS engine_file_truncate_on_insert = 1;
SELECT *, _file FROM file('one_*.txt', One) ORDER BY _file;
SELECT _file FROM file('one_*.txt', One) ORDER BY _file;
SELECT count() FROM file('one_*.txt', One);
SELECT * FROM format(One, 'a,b');
DESCRIBE format(One, 'abc');
-- error: BAD_ARGUMENTS
SELECT * FROM format(One, 'x UInt8, y String', 'a,b');
-- error: FORMAT_IS_NOT_SUITABLE_FOR_OUTPUT
SELECT 1 FORMAT One;
