-- Comments of every kind, and quotes in names.
SELECT 1 // it is one
;
SELECT 2 # it is two
;
#! it is three
SELECT 3;
SELECT /* 'a /* // */ # b */ 4 / 2 // 5;
;
SELECT 'http://a', '# b', `a//b` FROM (SELECT 1 AS `a//b`);
SELECT 1 AS `a\`b`, `a\`b` + 1 AS "c\"d";
SELECT (1, 2)::Tuple(`a\`b` UInt8, c UInt8) AS t, t.`a\`b`, toTypeName(t);
CREATE TABLE `t\`u` (`a\`b` UInt8, n Tuple(`x\`` String)) ENGINE = MergeTree ORDER BY `a\`b`;
INSERT INTO `t\`u` (`a\`b`) VALUES (1), (2);
SELECT `a\`b`, n FROM `t\`u` ORDER BY 1;
DROP TABLE `t\`u`;
SELECT toTypeName(CAST('2024-01-01 00:00:00.5' AS Datetime64(1, 'UTC'))), toTypeName(CAST('2024-01-01 00:00:00' AS DATETIME64));
CREATE TABLE w (a String) ENGINE = Memory;
WITH 1 AS x INSERT INTO w (a) SELECT toString(x);
SELECT * FROM w;
-- An arm of NULL behind a condition that is not the same twice.
SELECT countIf(a IS NULL) BETWEEN 1 AND 999, count(), any(toTypeName(a)) FROM (SELECT if(rand() % 2 = 0, NULL, 1.5) AS a FROM numbers(1000));
SELECT countIf(a IS NULL) BETWEEN 1 AND 999, count() FROM (SELECT multiIf(rand() % 3 = 0, NULL, rand() % 3 = 1, 'x', 'y') AS a FROM numbers(1000));
SELECT countIf(a IS NULL) BETWEEN 1 AND 999, count() FROM (SELECT CASE WHEN rand() % 2 = 0 THEN number END AS a FROM numbers(1000));
-- Settings of queries among those of a table.
CREATE TABLE s (a UInt8) ENGINE = MergeTree ORDER BY a SETTINGS max_threads = 1, index_granularity = 1024;
INSERT INTO s VALUES (1);
SELECT * FROM s;
