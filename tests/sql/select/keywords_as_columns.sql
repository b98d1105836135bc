-- Words of clauses are names where only a name can stand, and columns are called by names without quotes.
SELECT by FROM (SELECT 3 AS by) AS t;
SELECT by, t.by + 1 FROM (SELECT 3 AS by) AS t WHERE by = 3 ORDER BY by;
SELECT where, having FROM (SELECT 1 AS where, 2 AS having);
SELECT from FROM (SELECT 1 AS from);
SELECT 2, from, from + 1, join + 2 FROM (SELECT 1 AS from, 2 AS join) FORMAT TSVWithNames;
SELECT prewhere, qualify FROM (SELECT 1 AS prewhere, 2 AS qualify);
SELECT number AS limit FROM numbers(2) ORDER BY number DESC;
SELECT 3 AS with, 4 AS limit FORMAT TSVWithNames;
SELECT 3 AS with FROM numbers(1) WHERE number = 0;
SELECT inner FROM (SELECT [1, 2] AS a) ARRAY JOIN a AS inner;
SELECT max(`unit price`), count(DISTINCT `unit price`), `unit price` + 1 AS `next price`, `next price` * 2
FROM (SELECT 1 AS `unit price`) GROUP BY `unit price` FORMAT TSVWithNames;
SELECT max(COLUMNS('price')) FROM (SELECT 1 AS `unit price`) FORMAT TSVWithNames;
SELECT sum(`all`) OVER (PARTITION BY `unit price`, [`all`]) FROM (SELECT 1 AS `unit price`, 2 AS `all`) FORMAT TSVWithNames;
SELECT * APPLY(sum) FROM (SELECT 1 AS `unit price`) FORMAT TSVWithNames;
SELECT untuple((`a b`, 2)), arrayMap(`x y` -> `x y` + 1, [`a b`]) FROM (SELECT 1 AS `a b`) FORMAT TSVWithNames;
