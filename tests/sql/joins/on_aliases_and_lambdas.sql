-- ON of aliases that stand for others, and of lambdas over both sides.
CREATE TABLE a (id UInt32, tags Array(String)) ENGINE = MergeTree ORDER BY id;
CREATE TABLE b (id UInt32, names Array(String)) ENGINE = MergeTree ORDER BY id;
INSERT INTO a VALUES (1, ['p']), (2, ['q']), (3, []);
INSERT INTO b VALUES (1, ['p', 'r']), (2, []), (4, ['q']);
SELECT a.id AS k, k + 1 AS n, n + 1 AS m, b.id FROM a JOIN b ON m = b.id + 2 ORDER BY k;
WITH a.id AS k, k + 1 AS m SELECT m, b.names FROM a JOIN b ON m = b.id ORDER BY m;
SELECT a.id, b.id FROM a JOIN b ON arrayExists(t -> has(b.names, t), a.tags) ORDER BY a.id, b.id;
SELECT a.id, b.id FROM a LEFT JOIN b ON a.id = b.id AND arrayExists(t -> has(b.names, t), a.tags) ORDER BY a.id, b.id;
SELECT arrayMap(t -> concat(t, '!'), a.tags) AS loud, b.id FROM a JOIN b ON loud = arrayMap(t -> concat(t, '!'), b.names) ORDER BY b.id;
WITH v -> v + 1 AS next, (u, v) -> u = v AS same SELECT a.id, b.id FROM a JOIN b ON same(next(a.id), b.id) ORDER BY a.id;
DROP TABLE a;
DROP TABLE b;
