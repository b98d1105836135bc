-- Columns of all kinds of the tables that are merged.
CREATE TABLE base (a Int32, b String DEFAULT concat('x', toString(a)), c Int32 ALIAS a * 2, d Int32 MATERIALIZED a + 5) ENGINE = MergeTree ORDER BY a;
INSERT INTO base (a) VALUES (1), (2);
SELECT * FROM merge(currentDatabase(), '^base$') ORDER BY a;
SELECT a, c, d FROM merge(currentDatabase(), '^base$') ORDER BY a;
DESCRIBE merge(currentDatabase(), '^base$');
CREATE TABLE merged ENGINE = Merge(currentDatabase(), '^base$');
SELECT * FROM merged ORDER BY a;
SELECT a, c, d FROM merged ORDER BY a;
DESCRIBE merged;
