CREATE DATABASE shop;
CREATE TABLE shop.orders (a UInt8) ENGINE = MergeTree ORDER BY a;
INSERT INTO shop.orders VALUES (1), (2);
RENAME DATABASE shop TO store;
SELECT count() FROM store.orders;
INSERT INTO store.orders VALUES (3);
SELECT sum(a) FROM store.orders;
-- error: UNKNOWN_DATABASE
SHOW TABLES FROM shop;
-- error: UNKNOWN_DATABASE
RENAME DATABASE shop TO other;
-- error: DATABASE_ALREADY_EXISTS
RENAME DATABASE store TO default;
RENAME DATABASE IF EXISTS shop TO other;
RENAME DATABASE IF EXISTS store TO shop;
SELECT database, name FROM system.tables WHERE database IN ('shop', 'store');
-- Its tables, by their names.
CREATE TABLE shop.others (a UInt8) ENGINE = Memory;
INSERT INTO shop.others VALUES (1);
TRUNCATE TABLES FROM shop LIKE 'ord%';
SELECT (SELECT count() FROM shop.orders), (SELECT count() FROM shop.others);
INSERT INTO shop.orders VALUES (1);
TRUNCATE TABLES FROM shop NOT LIKE 'ord%';
SELECT (SELECT count() FROM shop.orders), (SELECT count() FROM shop.others);
TRUNCATE ALL TABLES FROM shop ILIKE 'ORD%';
SELECT (SELECT count() FROM shop.orders), (SELECT count() FROM shop.others);
TRUNCATE TABLES FROM IF EXISTS nosuch LIKE 'x';
-- error: UNKNOWN_DATABASE
TRUNCATE TABLES FROM nosuch;
DROP DATABASE shop;
-- error: UNKNOWN_DATABASE
SHOW DATABASE shop;
