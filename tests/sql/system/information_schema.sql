-- What tools that know MySQL or the SQL standard look into.
CREATE TABLE t (a UInt64, b Nullable(String) DEFAULT 'x', c Date MATERIALIZED toDate(a), d UInt8 ALIAS a + 1) ENGINE = MergeTree ORDER BY a COMMENT 'hey';
CREATE VIEW v AS SELECT 1 AS x;
INSERT INTO t (a) VALUES (1);
SELECT table_name, table_type, table_rows, table_comment, engine, create_time, create_options FROM information_schema.tables WHERE table_schema = currentDatabase() ORDER BY table_name;
SELECT column_name, ordinal_position, column_default, is_nullable, data_type, extra, column_key, privileges, generation_expression, srs_id FROM information_schema.columns WHERE table_name = 't' AND table_schema = currentDatabase() ORDER BY ordinal_position;
SELECT COLUMN_NAME, EXTRA, COLUMN_KEY FROM INFORMATION_SCHEMA.COLUMNS WHERE TABLE_NAME = 't' AND TABLE_SCHEMA = currentDatabase() ORDER BY ORDINAL_POSITION;
SELECT schema_owner, default_collation_name, default_encryption FROM information_schema.schemata WHERE schema_name = currentDatabase();
SELECT view_definition, check_option, is_updatable, IS_INSERTABLE_INTO FROM information_schema.views WHERE table_name = 'v' AND table_schema = currentDatabase();
SELECT table, name, type FROM system.columns WHERE database = 'information_schema' AND table IN ('schemata', 'tables', 'columns', 'views', 'engines') ORDER BY table, position;
