SELECT 'a' AS x, 'b c' AS y FORMAT LineAsStringWithNames;
SELECT 'a' AS x, 'b	c' AS y FORMAT LineAsStringWithNamesAndTypes;
INSERT INTO FUNCTION file('d.bin', RawBLOB) SELECT unhex('02016101620555496e743806537472696e670007000361626301000178000801');
SELECT * FROM file('d.bin', RowBinaryWithNamesAndTypesAndDefaults, 'a UInt8, b String');
DESCRIBE TABLE file('d.bin', RowBinaryWithNamesAndTypesAndDefaults);
SELECT 1 AS a, 'x' AS b WHERE 0 FORMAT JSONCompactEachRowWithProgress;
SELECT 1 AS a, 'x' AS b WHERE 0 FORMAT JSONCompactStringsEachRowWithProgress;
-- error: FORMAT_IS_NOT_SUITABLE_FOR_OUTPUT
SELECT 1 AS a FORMAT RowBinaryWithNamesAndTypesAndDefaults;
-- error: FORMAT_IS_NOT_SUITABLE_FOR_INPUT
SELECT * FROM format(LineAsStringWithNames, 'a String', 'x');
