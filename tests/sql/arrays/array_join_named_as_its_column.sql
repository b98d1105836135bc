-- In its own definition an alias is the column of that name; elsewhere it stands for the elements.
CREATE TABLE posts (id UInt32, tags Array(String), scores Array(UInt32)) ENGINE = MergeTree ORDER BY id;
INSERT INTO posts VALUES (1, ['b', 'a'], [3, 1, 2]), (2, ['a'], [5]), (3, [], []);
SELECT arrayJoin(tags) AS tags FROM posts ORDER BY tags;
SELECT id, arrayJoin(scores) AS scores, scores * 10 AS tenfold FROM posts WHERE scores > 1 ORDER BY tenfold DESC;
SELECT arrayJoin(tags) AS tags, count(), sum(id) FROM posts GROUP BY tags HAVING tags != 'b' ORDER BY tags;
SELECT DISTINCT arrayJoin(tags) AS tags FROM posts ORDER BY tags LIMIT 1 BY tags;
SELECT posts.tags, arrayJoin(tags) AS tags FROM posts ORDER BY tags, id;
SELECT id, arrayJoin(arrayMap(s -> s + 1, scores)) AS scores, row_number() OVER (PARTITION BY id ORDER BY scores) AS place FROM posts ORDER BY id, scores;
SELECT sum(arrayJoin(scores) AS scores) FROM posts;
SELECT max(arrayJoin(scores)) AS scores FROM posts;
SELECT count() FROM posts WHERE (arrayJoin(scores) AS scores) > 1;
SELECT arrayJoin(groupArray(id)) AS id FROM posts ORDER BY id;
WITH arrayJoin(tags) AS tags SELECT tags, id FROM posts ORDER BY tags, id;
-- error: ILLEGAL_TYPE_OF_ARGUMENT
SELECT length(scores) AS n, arrayJoin(scores) AS scores FROM posts;
-- error: ILLEGAL_TYPE_OF_ARGUMENT
SELECT arrayJoin(tags) AS tags, arrayJoin(tags) AS again FROM posts;
-- error: ILLEGAL_TYPE_OF_ARGUMENT
SELECT arrayJoin(count()) FROM posts;
DROP TABLE posts;
