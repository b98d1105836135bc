-- A SELECT without FROM reads the one row of system.one.
SELECT dummy, toTypeName(dummy), one.dummy, system.one.dummy;
SELECT sum(multiIf(1, dummy, NULL)), count() WHERE dummy = 0 GROUP BY dummy;
SELECT COLUMNS('um'), * EXCEPT (dummy), 1 AS x;
SELECT one.* REPLACE (dummy + 1 AS dummy), dummy + dummy AS y;
SELECT count() FROM numbers(3) WHERE number IN (SELECT dummy);
SELECT 5 AS dummy, dummy + 1, (SELECT one.dummy);
