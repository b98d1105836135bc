-- A table of the engine Join has one row of each key, the first or the last, or all of them.
CREATE TABLE firsts (k UInt32, v UInt32) ENGINE = Join(ANY, LEFT, k);
CREATE TABLE lasts (k UInt32, v UInt32) ENGINE = Join(ANY, LEFT, k) SETTINGS join_any_take_last_row = 1;
CREATE TABLE rights (k UInt32, v UInt32) ENGINE = Join(ANY, RIGHT, k);
CREATE TABLE semi (k UInt32, v UInt32) ENGINE = Join(SEMI, RIGHT, k);
INSERT INTO firsts VALUES (1, 2), (2, 5);
INSERT INTO firsts VALUES (1, 3), (2, 6);
INSERT INTO lasts VALUES (1, 2), (2, 5);
INSERT INTO lasts VALUES (1, 3), (2, 6);
INSERT INTO rights VALUES (1, 2), (1, 3);
INSERT INTO semi VALUES (1, 2), (1, 3);
SELECT joinGet('firsts', 'v', toUInt32(1)), joinGet('lasts', 'v', toUInt32(1));
SELECT * FROM firsts ORDER BY k, v;
SELECT * FROM lasts ORDER BY k, v;
SELECT * FROM rights ORDER BY k, v;
SELECT * FROM semi ORDER BY k, v;
