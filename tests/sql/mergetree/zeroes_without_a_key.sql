-- Rows of SummingMergeTree without a sorting key stay apart, but those of zeroes go.
CREATE TABLE s (a Int64, b Int64, note String) ENGINE = SummingMergeTree ORDER BY tuple();
INSERT INTO s VALUES (1, 2, ''), (-1, -2, ''), (0, 0, 'nothing'), (0, 5, '');
SELECT * FROM s ORDER BY ALL;
INSERT INTO s VALUES (0, 0, 'nothing');
SELECT count() FROM s;
CREATE TABLE of_one (a Int64, b Int64) ENGINE = SummingMergeTree(b) ORDER BY tuple() SETTINGS min_rows_for_wide_part = 1;
INSERT INTO of_one SETTINGS optimize_on_insert = 0 VALUES (1, 0), (2, 3), (2, -3);
INSERT INTO of_one SETTINGS optimize_on_insert = 0 VALUES (4, 0);
SELECT * FROM of_one ORDER BY ALL;
SELECT * FROM of_one FINAL ORDER BY ALL;
OPTIMIZE TABLE of_one FINAL;
SELECT * FROM of_one ORDER BY ALL;
CREATE TABLE parted (a Nullable(Int64), k String) ENGINE = SummingMergeTree PARTITION BY k ORDER BY tuple();
INSERT INTO parted VALUES (1, 'a'), (0, 'a'), (NULL, 'b'), (2, 'c');
SELECT * FROM parted ORDER BY ALL;
