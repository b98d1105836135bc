-- What files leave out is computed as the structure says.
INSERT INTO FUNCTION file('rows.jsonl', 'JSONEachRow', 'a Int32, b String') SELECT number, toString(number) FROM numbers(3) SETTINGS engine_file_truncate_on_insert = 1;
SELECT * FROM file('rows.jsonl', 'JSONEachRow', 'a Int32, c Int32 DEFAULT a + 1') ORDER BY a;
SELECT c, a FROM file('rows.jsonl', 'JSONEachRow', 'a Int32, c Int32 DEFAULT a + 1') WHERE c > 1 ORDER BY a;
SELECT count() FROM file('rows.jsonl', 'JSONEachRow', 'a Int32, c Int32 DEFAULT a + 1');
SELECT * FROM file('rows.jsonl', 'JSONEachRow', 'a Int32, b String DEFAULT concat(toString(a), \'x\'), d String DEFAULT upper(b)') ORDER BY a;
SELECT _file, a, c FROM file('rows.jsonl', 'JSONEachRow', 'a Int32, c Int32 DEFAULT a + 1') ORDER BY a LIMIT 1;
DESCRIBE file('rows.jsonl', 'JSONEachRow', 'a Int32, c Int32 DEFAULT a + 1, d Int32 ALIAS a, e Int32 MATERIALIZED a');
-- error: BAD_ARGUMENTS
SELECT a, c FROM file('rows.jsonl', 'JSONEachRow', 'a Int32, c Int32 MATERIALIZED a + 1');
-- error: BAD_ARGUMENTS
SELECT a, c FROM file('rows.jsonl', 'JSONEachRow', 'a Int32, c Int32 ALIAS a + 1');
INSERT INTO FUNCTION file('rows.csv', 'CSV', 'a Int32, c Int32 DEFAULT a + 1') (a) SELECT number FROM numbers(2) SETTINGS engine_file_truncate_on_insert = 1;
SELECT * FROM file('rows.csv', 'TSV', 's String') ORDER BY s;
INSERT INTO FUNCTION file('rows.parquet', 'Parquet', 'a Int32, b Nullable(Int32)') SELECT number, if(number = 1, NULL, 7) FROM numbers(3) SETTINGS engine_file_truncate_on_insert = 1;
SELECT * FROM file('rows.parquet', 'Parquet', 'a Int32, b Int32 DEFAULT a + 100') ORDER BY a;
SELECT * FROM file('rows.parquet', 'Parquet', 'a Int32, d Int32 DEFAULT a + 100') WHERE d > 100 ORDER BY a;
SELECT * FROM file('rows.parquet', 'Parquet', 'a Int32, b Nullable(Int32) DEFAULT a + 100') ORDER BY a;
-- An INSERT takes its table's columns.
CREATE TABLE target (a Int32, b Int32 DEFAULT a + 1) ENGINE = Memory;
INSERT INTO FUNCTION file('gaps.tsv', 'TSVRaw', 's String') SELECT arrayJoin(['1,2', '3,']) SETTINGS engine_file_truncate_on_insert = 1;
INSERT INTO target SELECT * FROM file('gaps.tsv', 'CSV');
SELECT * FROM target ORDER BY a;
