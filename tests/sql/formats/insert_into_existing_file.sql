INSERT INTO FUNCTION file('x.csv') SELECT 1 AS a;
INSERT INTO FUNCTION file('x.csv') SELECT 2 AS a;
SELECT * FROM file('x.csv') ORDER BY 1;
INSERT INTO FUNCTION file('x.parquet') SELECT 1 AS a;
-- error: CANNOT_APPEND_TO_FILE
INSERT INTO FUNCTION file('x.parquet') SELECT 2 AS a;
SELECT * FROM file('x.parquet');
INSERT INTO FUNCTION file('x.parquet') SELECT 3 AS a SETTINGS engine_file_truncate_on_insert = 1;
SELECT * FROM file('x.parquet');
INSERT INTO FUNCTION file('x.parquet') SELECT 4 AS a SETTINGS engine_file_allow_create_multiple_files = 1;
SELECT a, _file FROM file('x*.parquet') ORDER BY a;
INSERT INTO FUNCTION file('typed.csv', CSV, 'a UInt8, b String') VALUES (1, 'x'), (2, 'y');
SELECT * FROM file('typed.csv', CSV, 'a UInt8, b String') ORDER BY a;
INSERT INTO TABLE FUNCTION file('table.tsv', TSV, 'a UInt8') SELECT number FROM numbers(3);
SELECT sum(a) FROM file('table.tsv', TSV, 'a UInt8');
