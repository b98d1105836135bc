-- Temporary tables of the session are told of without a database.
CREATE TABLE lasting (a UInt8) ENGINE = Memory;
CREATE TEMPORARY TABLE rows_of_memory (a UInt64) COMMENT 'some';
CREATE TEMPORARY TABLE sorted (a UInt64 COMMENT 'x', b Nullable(DateTime('UTC')) DEFAULT now()) ENGINE = MergeTree ORDER BY a;
CREATE TEMPORARY VIEW seen AS SELECT 1 AS x;
INSERT INTO rows_of_memory SELECT number FROM numbers(10);
INSERT INTO sorted (a) SELECT number FROM numbers(7);
SELECT database, name, engine, is_temporary, uuid = toUUID('00000000-0000-0000-0000-000000000000'), create_table_query, engine_full,
    total_rows, total_bytes > 0, parts, comment, has_own_data, sorting_key
FROM system.tables WHERE is_temporary ORDER BY name;
SELECT database, table, name, type, position, default_kind, default_expression, comment, is_in_sorting_key
FROM system.columns WHERE database = '' ORDER BY table, position;
SELECT database = currentDatabase(), is_temporary FROM system.tables WHERE name = 'lasting';
SELECT count() FROM system.tables WHERE database LIKE '%temporary%';
SELECT count() FROM system.parts WHERE table = 'sorted';
SELECT table_schema, table_name, table_type FROM information_schema.tables WHERE table_name IN ('rows_of_memory', 'sorted') ORDER BY ALL;
SELECT table_schema, table_name, column_name FROM information_schema.columns WHERE table_name IN ('rows_of_memory', 'sorted') ORDER BY ALL;
SELECT word, context FROM system.completions WHERE word IN ('rows_of_memory', 'sorted') ORDER BY ALL;
SHOW TABLES;
SHOW TEMPORARY TABLES;
EXISTS TEMPORARY TABLE sorted;
EXISTS TABLE sorted;
DROP TABLE sorted;
SELECT name FROM system.tables WHERE is_temporary ORDER BY name;
SELECT table, name FROM system.columns WHERE database = '' ORDER BY ALL;
EXISTS TEMPORARY TABLE sorted;
