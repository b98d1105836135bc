-- Tables without a database in the subqueries of a mutation are beside the table that is changed, whatever the session's database is.
CREATE DATABASE of_table;
CREATE DATABASE of_session;
CREATE TABLE of_table.t (k UInt32, z String) ENGINE = MergeTree ORDER BY k;
CREATE TABLE of_session.t (k UInt32, z String) ENGINE = MergeTree ORDER BY k;
CREATE TABLE of_session.only_here (k UInt32) ENGINE = MergeTree ORDER BY k;
INSERT INTO of_table.t VALUES (1, 'a'), (2, 'aa');
INSERT INTO of_session.t VALUES (1, 'b'), (2, 'bb');
INSERT INTO of_session.only_here VALUES (1);
USE of_session;
ALTER TABLE of_table.t UPDATE z = 'changed' WHERE k IN (SELECT k FROM t WHERE z = 'b') SETTINGS mutations_sync = 2;
SELECT * FROM of_table.t ORDER BY k;
ALTER TABLE of_table.t UPDATE z = (SELECT concat(z, '!') FROM t WHERE k = 1) WHERE k = 1 SETTINGS mutations_sync = 2;
SELECT * FROM of_table.t ORDER BY k;
ALTER TABLE of_table.t DELETE WHERE k IN (SELECT k FROM t WHERE z = 'b') SETTINGS mutations_sync = 2;
SELECT * FROM of_table.t ORDER BY k;
ALTER TABLE of_table.t DELETE WHERE k IN (SELECT k FROM of_session.t WHERE z = 'b') SETTINGS mutations_sync = 2;
SELECT * FROM of_table.t ORDER BY k;
DELETE FROM of_table.t WHERE k IN (SELECT k FROM t WHERE z = 'bb');
SELECT * FROM of_table.t ORDER BY k;
-- error: UNKNOWN_TABLE
ALTER TABLE of_table.t DELETE WHERE k IN (SELECT k FROM only_here) SETTINGS mutations_sync = 2;
-- error: UNKNOWN_TABLE
DELETE FROM of_table.t WHERE k IN (SELECT k FROM only_here);
DELETE FROM of_table.t WHERE k IN (SELECT k FROM t WHERE z = 'aa');
SELECT count() FROM of_table.t;
SELECT count() FROM t;
