-- settings: mutations_sync=2
-- Columns that a change of rows names with their table, and with its database.
CREATE TABLE q (k UInt32, v UInt32, t Tuple(k UInt32, z UInt32), n Nested(a UInt8)) ENGINE = MergeTree ORDER BY k;
INSERT INTO q VALUES (1, 1, (5, 6), [1]), (2, 2, (7, 8), [2]), (3, 3, (9, 9), [3]), (4, 4, (1, 1), [4]);
DELETE FROM q WHERE q.k = 1;
DELETE FROM q WHERE default.q.k = 2;
ALTER TABLE q UPDATE v = q.k * 100 WHERE q.k = 3;
ALTER TABLE q UPDATE v = default.q.t.z WHERE q.t.k = 1;
SELECT k, v FROM q ORDER BY k;
ALTER TABLE q DELETE WHERE q.k IN (SELECT q.k FROM q WHERE q.k = 3);
ALTER TABLE q DELETE WHERE has(q.n.a, 9);
ALTER TABLE q DELETE WHERE arrayExists(x -> x = q.k, [99]);
-- error: UNKNOWN_IDENTIFIER
ALTER TABLE q DELETE WHERE z.k = 3;
-- error: UNKNOWN_IDENTIFIER
DELETE FROM q WHERE q.nothing = 3;
SELECT * FROM q ORDER BY k;
-- A column that is called like the table comes first.
CREATE TABLE k (k Tuple(k UInt32, z UInt32), z UInt32) ENGINE = MergeTree ORDER BY z;
INSERT INTO k VALUES ((1, 2), 5);
ALTER TABLE k DELETE WHERE k.z = 5;
SELECT count() FROM k;
ALTER TABLE k DELETE WHERE k.z = 2;
SELECT count() FROM k;
CREATE TABLE m (k UInt32, v UInt32) ENGINE = Memory;
INSERT INTO m VALUES (1, 1), (2, 2);
ALTER TABLE m UPDATE v = m.k + 7 WHERE m.k = 1;
ALTER TABLE m DELETE WHERE default.m.k = 2;
SELECT * FROM m;
