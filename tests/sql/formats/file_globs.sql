INSERT INTO FUNCTION file('part_1.csv') SELECT 1, 'a';
INSERT INTO FUNCTION file('part_2.csv') SELECT 2, 'b';
INSERT INTO FUNCTION file('part_10.csv') SELECT 10, 'c';
INSERT INTO FUNCTION file('other.csv') SELECT 99, 'z';
SELECT * FROM file('part_*.csv', CSV, 'n Int32, s String') ORDER BY n;
SELECT n, _file FROM file('part_?.csv', CSV, 'n Int32, s String') ORDER BY n;
SELECT n, _file FROM file('part_{1,10}.csv', CSV, 'n Int32, s String') ORDER BY n;
SELECT n FROM file('part_{1..2}.csv', CSV, 'n Int32, s String') ORDER BY n;
SELECT n FROM file('{part,other}*.csv', CSV, 'n Int32, s String') ORDER BY n;
SELECT _file, count() FROM file('*.csv', CSV, 'n Int32, s String') GROUP BY _file ORDER BY _file;
SELECT _file, _size FROM file('part_1.csv', CSV, 'n Int32, s String');
SELECT sum(n) FROM file('*.csv', CSV, 'n Int32, s String') WHERE _file LIKE 'part%';
SELECT sum(c1) FROM file('part_*.csv');
-- error: FILE_DOESNT_EXIST
SELECT * FROM file('missing.csv', CSV, 'a Int32');
-- error: CANNOT_EXTRACT_TABLE_STRUCTURE
SELECT * FROM file('missing_*.csv', CSV);
SELECT count() FROM file('missing_*.csv', CSV, 'a Int32');
