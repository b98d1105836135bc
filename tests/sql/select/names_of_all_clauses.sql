-- Names that are given in whatever clause mean the same in all of them.
CREATE TABLE t (id UInt32, g String, d Date, v Nullable(Float64), tp Tuple(a UInt8, b String)) ENGINE = MergeTree ORDER BY id;
INSERT INTO t SELECT number, ['a','b','c'][number % 3 + 1], toDate('2024-01-01') + number, if(number % 5 = 0, NULL, number / 7), (number, toString(number)) FROM numbers(30);
CREATE TABLE u (id UInt32, w UInt32, s String) ENGINE = Memory;
INSERT INTO u VALUES (1, 10, 'x'), (2, 20, 'y'), (50, 500, 'z');
SELECT id FROM t WHERE (id AS k) > 3 AND k < 9 ORDER BY id;
SELECT k FROM t WHERE (id AS k) > 3 AND k < 9 ORDER BY id;
SELECT g, sum(id) FROM t GROUP BY g HAVING (sum(id) AS s) > 140 ORDER BY s;
SELECT g, s FROM t GROUP BY g HAVING (sum(id) AS s) > 140 ORDER BY s;
SELECT x FROM t ORDER BY (id * 2 AS x) DESC LIMIT 2;
SELECT x, count() FROM t GROUP BY (id % 2 AS x) ORDER BY x;
SELECT id AS a, a AS id FROM u ORDER BY 1;
SELECT id AS w, w AS id FROM u ORDER BY 1;
SELECT id AS w, w + 1 AS id FROM u ORDER BY 1;
SELECT t.id AS tid, u.id AS uid FROM t JOIN u ON tid = uid ORDER BY ALL;
SELECT t.id AS tid, u.id AS uid FROM t LEFT JOIN u ON tid = uid AND w > 10 ORDER BY ALL LIMIT 4;
SELECT t.id + 1 AS x, w FROM t JOIN u ON x = u.id ORDER BY ALL;
WITH t.id + 1 AS x SELECT w FROM t JOIN u ON x = u.id ORDER BY ALL;
WITH 0.9 AS p SELECT quantile(p)(number) FROM numbers(5);
SELECT 0.9 AS p, quantile(p)(number) FROM numbers(5);
WITH 2 AS n SELECT groupArray(n)(number), length(topK(n + 1)(number)) FROM numbers(5);
-- error: UNKNOWN_IDENTIFIER
SELECT id FROM t WHERE nothing > 3;
-- error: MULTIPLE_EXPRESSIONS_FOR_ALIAS
SELECT id AS k FROM t WHERE (id + 1 AS k) > 3;
