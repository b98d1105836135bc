-- The same rows again are known by the columns that the INSERT gives.
CREATE TABLE d (a UInt64, m UInt64 DEFAULT rand64(), t DateTime64(9) MATERIALIZED now64(9)) ENGINE = MergeTree ORDER BY a SETTINGS non_replicated_deduplication_window = 100;
INSERT INTO d (a) VALUES (3);
INSERT INTO d (a) VALUES (3);
SELECT count() FROM d;
INSERT INTO d (a, m) VALUES (3, 5);
INSERT INTO d (a, m) VALUES (3, 6);
SELECT count() FROM d;
ALTER TABLE d ADD COLUMN z Int8 DEFAULT 1;
INSERT INTO d (a) VALUES (3);
SELECT count() FROM d;
CREATE TABLE e (a UInt64, s String EPHEMERAL, n UInt64 DEFAULT length(s)) ENGINE = MergeTree ORDER BY a SETTINGS non_replicated_deduplication_window = 100;
INSERT INTO e (a, s) VALUES (1, 'x');
INSERT INTO e (a, s) VALUES (1, 'xx');
INSERT INTO e (a, s) VALUES (1, 'xx');
SELECT a, n FROM e ORDER BY n;
-- What was detached may be inserted again.
CREATE TABLE p (a UInt64, p UInt8) ENGINE = MergeTree ORDER BY a PARTITION BY p SETTINGS non_replicated_deduplication_window = 100;
INSERT INTO p VALUES (1, 1);
INSERT INTO p VALUES (1, 2);
ALTER TABLE p DETACH PARTITION 1;
INSERT INTO p VALUES (1, 1);
INSERT INTO p VALUES (1, 2);
SELECT a, p FROM p ORDER BY p;
