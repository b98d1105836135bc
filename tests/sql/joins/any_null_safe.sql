-- `<=>` compares keys as `=` does, and finds NULL.
CREATE TABLE l (a Nullable(Int32), c Int32, v String) ENGINE = MergeTree ORDER BY c;
CREATE TABLE r (b Nullable(Int32), d Int32, w String) ENGINE = MergeTree ORDER BY d;
INSERT INTO l VALUES (1, 1, 'l1'), (NULL, 1, 'l2'), (NULL, 2, 'l3'), (2, 2, 'l4'), (3, 3, 'l5'), (1, 1, 'l1');
INSERT INTO r VALUES (1, 1, 'r1'), (NULL, 1, 'r2'), (NULL, 1, 'r2'), (2, 2, 'r4'), (1, 1, 'r1');
SELECT v, w FROM l ANY LEFT JOIN r ON a <=> b AND c = d ORDER BY v;
SELECT v, w FROM l ANY LEFT JOIN r ON c = d AND b <=> a ORDER BY v;
SELECT v, w FROM l ANY LEFT JOIN r ON a <=> b ORDER BY v;
SELECT v, w FROM l ANY RIGHT JOIN r ON a <=> b AND c = d ORDER BY v, w;
SELECT v, w FROM l ANY JOIN r ON a <=> b AND c = d ORDER BY v, w;
SELECT v, w FROM l ANY INNER JOIN r ON a <=> b ORDER BY v, w;
SELECT v, w FROM l ANY LEFT JOIN r ON a <=> b AND c = d AND w = 'r1' ORDER BY v;
SELECT v, w FROM l ANY LEFT JOIN r ON a <=> b AND c < d ORDER BY v;
SELECT v, w FROM l ANY LEFT JOIN r ON a <=> b AND c = d ORDER BY v SETTINGS join_use_nulls = 1;
