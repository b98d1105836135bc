-- A Memory table may keep its last rows alone.
CREATE TABLE m (a Int32) ENGINE = Memory SETTINGS max_rows_to_keep = 100, min_rows_to_keep = 50;
INSERT INTO m SELECT number FROM numbers(60);
INSERT INTO m SELECT number + 100 FROM numbers(60);
SELECT count(), min(a) FROM m;
INSERT INTO m SELECT number + 200 FROM numbers(10);
INSERT INTO m SELECT number + 300 FROM numbers(25);
SELECT count(), min(a) FROM m;
INSERT INTO m SELECT number + 400 FROM numbers(10);
SELECT count(), min(a) FROM m;
INSERT INTO m SELECT number + 500 FROM numbers(1000);
SELECT count(), min(a) FROM m;
ALTER TABLE m MODIFY SETTING max_rows_to_keep = 2000, min_rows_to_keep = 0;
INSERT INTO m SELECT number FROM numbers(1000);
SELECT count(), min(a) FROM m;
INSERT INTO m SELECT number + 10 FROM numbers(1000);
SELECT count(), min(a) FROM m;
-- error: SETTING_CONSTRAINT_VIOLATION
CREATE TABLE wrong (a Int32) ENGINE = Memory SETTINGS min_rows_to_keep = 5;
-- error: SETTING_CONSTRAINT_VIOLATION
ALTER TABLE m MODIFY SETTING min_rows_to_keep = 3000;
-- error: UNKNOWN_SETTING
CREATE TABLE wrong (a Int32) ENGINE = Memory SETTINGS nothing = 1;
-- error: NOT_IMPLEMENTED
ALTER TABLE m RESET SETTING max_rows_to_keep;
