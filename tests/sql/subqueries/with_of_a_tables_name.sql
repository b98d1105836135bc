-- A query of WITH that is called as the table that it reads.
CREATE TABLE users (id UInt8, name String) ENGINE = ReplacingMergeTree ORDER BY id;
INSERT INTO users VALUES (1, 'a'), (2, 'b'), (3, 'c');
WITH users AS (SELECT * FROM users WHERE id > 1) SELECT * FROM users ORDER BY id;
WITH users AS (SELECT * FROM users FINAL WHERE id > 1) SELECT count() FROM users;
WITH users AS (WITH t AS (SELECT * FROM users) SELECT * FROM t) SELECT count() FROM users;
WITH a AS (SELECT * FROM users), users AS (SELECT id + 10 AS id FROM a) SELECT sum(id) FROM users;
WITH users AS (SELECT id + 10 AS id FROM users), b AS (SELECT * FROM users) SELECT sum(id) FROM b;
SELECT * FROM (WITH users AS (SELECT id FROM users WHERE id = 2) SELECT * FROM users) WHERE id IN (SELECT id FROM users);
WITH users AS (SELECT 5 AS id), b AS (SELECT id FROM users) SELECT * FROM b;
-- error: UNKNOWN_TABLE
WITH nothing AS (SELECT * FROM nothing) SELECT * FROM nothing;
