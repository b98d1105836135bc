-- mergeTreeIndex: the primary key at each mark, and at the end of the part.
CREATE TABLE t (p UInt8, k UInt32, s String, d Date) ENGINE = MergeTree PARTITION BY p ORDER BY (k, lower(s)) SETTINGS index_granularity = 3;
INSERT INTO t SELECT number % 2, number, toString(number), toDate('2024-01-01') + number FROM numbers(10);
DESCRIBE TABLE mergeTreeIndex(currentDatabase(), 't');
SELECT * FROM mergeTreeIndex(currentDatabase(), 't') ORDER BY part_name, mark_number;
DESCRIBE TABLE mergeTreeIndex(currentDatabase(), t, with_minmax = true);
SELECT * FROM mergeTreeIndex(currentDatabase(), t, with_minmax = true) ORDER BY part_name, mark_number;
SELECT part_name, mark_number, toTypeName(`k.mark`) FROM mergeTreeIndex(currentDatabase(), t, with_marks = true) WHERE mark_number = 1 ORDER BY part_name;
SELECT sum(rows_in_granule) FROM mergeTreeIndex(currentDatabase(), t);
CREATE TABLE n (k UInt32) ENGINE = MergeTree ORDER BY tuple();
INSERT INTO n VALUES (1);
SELECT * FROM mergeTreeIndex(currentDatabase(), n) ORDER BY mark_number;
CREATE TABLE m (a UInt8) ENGINE = Memory;
-- error: BAD_ARGUMENTS
SELECT * FROM mergeTreeIndex(currentDatabase(), m);
-- error: UNKNOWN_TABLE
SELECT * FROM mergeTreeIndex(currentDatabase(), nosuch);
-- error: NUMBER_OF_ARGUMENTS_DOESNT_MATCH
SELECT * FROM mergeTreeIndex(currentDatabase());
