-- What comes first by a tuple or an array with NULL inside is found where a limit tells granules apart.
CREATE TABLE pairs (k UInt32, a Nullable(Int32)) ENGINE = MergeTree ORDER BY tuple() SETTINGS index_granularity = 1;
INSERT INTO pairs VALUES (1, NULL), (1, 2);
SELECT k, a FROM pairs ORDER BY (k, a) LIMIT 1;
SELECT k, a FROM pairs ORDER BY [a] LIMIT 1;
SELECT k, a FROM pairs ORDER BY (k, a) LIMIT 1 SETTINGS use_top_k_dynamic_filtering = 0;

CREATE TABLE arrays (a Array(Nullable(Int32)), k Int16, rid UInt32) ENGINE = MergeTree ORDER BY tuple()
SETTINGS index_granularity = 2;
INSERT INTO arrays VALUES ([], 1, 1), ([-5], 0, 2), ([-1, 2, NULL], 1, 3), ([NULL], 1, 4), ([], 1, 5), ([5, 3], 1, 6), ([3], 1, 7),
    ([NULL], 1, 8), ([NULL], 0, 9), ([NULL], 0, 10), ([], 1, 11), ([], 1, 12), ([-3, 5, NULL], 0, 13), ([], 1, 14), ([], 1, 15),
    ([NULL], 0, 16), ([2], 1, 17), ([-5], 1, 18), ([NULL], 0, 19), ([4], 1, 20);
SELECT a, rid FROM arrays WHERE k = 1 ORDER BY a, rid DESC LIMIT 9;
SELECT a, rid FROM arrays WHERE k = 1 ORDER BY a, rid DESC LIMIT 9;
SELECT a, rid FROM arrays WHERE k = 1 ORDER BY a, rid DESC LIMIT 9;

-- A condition that a constant makes NULL is not fulfilled by all rows of a part.
CREATE TABLE flags (k UInt64, b Bool, s String) ENGINE = MergeTree ORDER BY k PARTITION BY b;
INSERT INTO flags VALUES (1, true, 'a'), (2, false, 'b');
SELECT count() FROM flags WHERE b NOT IN (true, false) OR NULL;
SELECT count() FROM flags WHERE NOT ((b IN (true, false)) AND NULL);
SELECT count() FROM flags WHERE NOT (b IN (true, false)) OR s = NULL;
SELECT count() FROM flags WHERE NOT (k > 5 OR k = NULL);
SELECT k FROM flags WHERE NOT (k > 5 OR k = NULL) ORDER BY k;
