INSERT INTO FUNCTION file('a.csv', CSVWithNames) SELECT 1 AS a, 'x' AS b;
INSERT INTO FUNCTION file('a.csv', CSVWithNames) SELECT 2 AS a, 'y' AS b;
SELECT * FROM file('a.csv', CSVWithNames) ORDER BY a;
SELECT * FROM file('a.csv', LineAsString);
INSERT INTO FUNCTION file('t.tsv', TabSeparatedWithNamesAndTypes) SELECT 1 AS a;
INSERT INTO FUNCTION file('t.tsv', TabSeparatedWithNamesAndTypes) SELECT 2 AS a;
SELECT * FROM file('t.tsv', LineAsString);
INSERT INTO FUNCTION file('j.jsonl') SELECT 1 AS a;
INSERT INTO FUNCTION file('j.jsonl') SELECT 2 AS a;
SELECT * FROM file('j.jsonl') ORDER BY a;
INSERT INTO FUNCTION file('g.csv.gz') SELECT number FROM numbers(5);
INSERT INTO FUNCTION file('g.csv.gz') SELECT number + 5 FROM numbers(5);
SELECT count(), sum(c1) FROM file('g.csv.gz');
INSERT INTO FUNCTION file('n.csv', CSV, 'a UInt8') SELECT 1 WHERE 0;
INSERT INTO FUNCTION file('n.csv', CSV, 'a UInt8') SELECT 3;
SELECT * FROM file('n.csv', CSV, 'a UInt8');
INSERT INTO FUNCTION file('o.json', JSON) SELECT 1 AS a;
-- error: CANNOT_APPEND_TO_FILE
INSERT INTO FUNCTION file('o.json', JSON) SELECT 2 AS a;
INSERT INTO FUNCTION file('w.arrow', Arrow) SELECT 1 AS a;
-- error: CANNOT_APPEND_TO_FILE
INSERT INTO FUNCTION file('w.arrow', Arrow) SELECT 2 AS a;
INSERT INTO FUNCTION file('w.arrow', Arrow) SELECT 3 AS a SETTINGS engine_file_allow_create_multiple_files = 1;
INSERT INTO FUNCTION file('w.arrow', Arrow) SELECT 4 AS a SETTINGS engine_file_allow_create_multiple_files = 1;
SELECT a, _file FROM file('w*.arrow') ORDER BY a;
-- Rows that can be appended are, whatever that setting says.
INSERT INTO FUNCTION file('j.jsonl') SELECT 3 AS a SETTINGS engine_file_allow_create_multiple_files = 1;
SELECT * FROM file('j.jsonl') ORDER BY a;
INSERT INTO FUNCTION file('j.jsonl') SELECT 4 AS a SETTINGS engine_file_truncate_on_insert = 1;
SELECT * FROM file('j.jsonl') ORDER BY a;
CREATE TABLE f (a UInt8) ENGINE = File(CSV, 'f.csv');
INSERT INTO f VALUES (1);
INSERT INTO f VALUES (2);
SELECT * FROM f ORDER BY a;
