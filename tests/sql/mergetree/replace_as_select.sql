CREATE TABLE z (a Int32) ENGINE = MergeTree ORDER BY a;
INSERT INTO z VALUES (1), (2), (3);
-- What is replaced may be read.
CREATE OR REPLACE TABLE z ENGINE = MergeTree ORDER BY a AS SELECT a + 1 AS a FROM z WHERE a > 1;
SELECT a FROM z ORDER BY a;
-- And stays where the query fails, whether at once or in the middle.
-- error: FUNCTION_THROW_IF_VALUE_IS_NON_ZERO
CREATE OR REPLACE TABLE z (a Int32) ENGINE = MergeTree ORDER BY a AS SELECT throwIf(number = 100000)::Int32 AS a FROM numbers(200000);
-- error: UNKNOWN_TABLE
CREATE OR REPLACE TABLE z ENGINE = MergeTree ORDER BY a AS SELECT * FROM no_such_table;
-- error: CANNOT_PARSE_TEXT
CREATE OR REPLACE TABLE z (a Int32) ENGINE = MergeTree ORDER BY a AS SELECT 'x' AS a;
SELECT a FROM z ORDER BY a;
SELECT name FROM system.tables WHERE database = currentDatabase();
-- Nothing to replace.
CREATE OR REPLACE TABLE y ENGINE = MergeTree ORDER BY a AS SELECT number AS a FROM numbers(3);
SELECT count() FROM y;
CREATE OR REPLACE TABLE y ENGINE = Memory AS SELECT a + 10 AS a FROM y;
SELECT a FROM y ORDER BY a;
CREATE OR REPLACE TABLE c CLONE AS z;
SELECT a FROM c ORDER BY a;
SHOW TABLES;
-- SETTINGS behind the query.
CREATE TABLE s ENGINE = MergeTree ORDER BY a AS SELECT number AS a FROM numbers(10) SETTINGS limit = 3;
SELECT count() FROM s;
CREATE TABLE p ENGINE = MergeTree ORDER BY a PARTITION BY a AS SELECT number AS a FROM numbers(150) SETTINGS max_partitions_per_insert_block = 0;
SELECT count() FROM p;
-- error: TOO_MANY_ROWS
CREATE TABLE r ENGINE = MergeTree ORDER BY a AS SELECT number AS a FROM numbers(1000) SETTINGS max_rows_to_read = 10;
EXISTS TABLE r;
