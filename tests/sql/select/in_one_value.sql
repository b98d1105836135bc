-- One value behind IN, without parentheses.
SELECT 1 IN 1, 2 NOT IN 1, 'a' IN 'a', 1 IN -1, 1 IN 1.0;
SELECT 1 IN tuple(1, 2), 1 IN [1, 2], 1 IN array(1);
SELECT 1 IN 1 + 1, 2 IN 1 + 1, 'a' IN concat('a', '');
SELECT 1 IN 1 FORMAT TSVWithNames;
SELECT count() FROM numbers(10) WHERE toString(number) IN '3';
SELECT count() FROM numbers(10) WHERE toString(number) NOT IN '3' AND number IN 4;
SELECT count() FROM numbers(10) WHERE toString(number) GLOBAL IN '3';
SELECT number IN toUInt64(1) FROM numbers(2);
SELECT number IN number FROM numbers(2);
SELECT count() FROM numbers(10) WHERE number IN materialize(3);
WITH 3 AS k SELECT count() FROM numbers(10) WHERE number IN k;
WITH (3, 4) AS k SELECT count() FROM numbers(10) WHERE number IN k;
SELECT toDate('2024-01-01') IN '2024-01-01';
