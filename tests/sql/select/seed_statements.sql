-- The statements of the main job, on a small table.
CREATE TABLE posts (Id Int64, PostTypeId Int64, CreationDate DateTime64(3), OwnerDisplayName String, Score Int64) ENGINE = MergeTree ORDER BY (PostTypeId, toDate(CreationDate), CreationDate);
INSERT INTO posts SELECT number, number % 2 + 1, toDateTime64('2020-01-01 00:00:00', 3) + number * 60, multiIf(number % 10 = 0, 'anon', number % 3 = 0, '', concat('user', toString(number % 7))), number % 5 FROM numbers(20000) SETTINGS min_insert_block_size_rows = 0, max_insert_threads = 4, min_insert_block_size_bytes = 2863311530;
SELECT OwnerDisplayName, count() AS num_posts FROM posts WHERE OwnerDisplayName NOT IN ('', 'anon') GROUP BY OwnerDisplayName ORDER BY num_posts DESC, OwnerDisplayName LIMIT 5 SETTINGS max_threads = 16;
SELECT toStartOfMonth(CreationDate) AS m, PostTypeId, count(), avg(Score) FROM posts GROUP BY m, PostTypeId ORDER BY m, PostTypeId LIMIT 4;
SELECT count() FROM posts WHERE PostTypeId = 1 AND CreationDate >= '2020-01-05' AND CreationDate < '2020-01-06';
SELECT toYear(CreationDate) AS y, countIf(Score > 2) AS good, round(good / count(), 4) AS share FROM posts GROUP BY y ORDER BY y;
SELECT OwnerDisplayName, sum(Score) AS s, rank() OVER (ORDER BY s DESC) AS r FROM posts WHERE OwnerDisplayName != '' GROUP BY OwnerDisplayName ORDER BY r, OwnerDisplayName LIMIT 4;
