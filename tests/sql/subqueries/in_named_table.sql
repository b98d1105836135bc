-- A table behind IN may have an alias, as the queries have it that servers send each other.
CREATE TABLE listed (a UInt64) ENGINE = Memory;
INSERT INTO listed VALUES (1), (3);
SELECT number FROM numbers(5) WHERE number IN (listed AS x) ORDER BY number;
SELECT number FROM numbers(5) AS `__table1` WHERE `__table1`.`number` GLOBAL NOT IN (`listed` AS `__table2`) ORDER BY number;
SELECT number, number IN (1 AS x) FROM numbers(2) ORDER BY number;
