-- Tables about what this system does not have are there, with ClickHouse's columns, for tools that ask.
SELECT table, name, type FROM system.columns WHERE database = 'system' AND table IN ('certificates', 'constraints', 'user_defined_functions', 'handlers', 'database_replicas', 'azure_queue_settings', 's3_queue_metadata', 'iceberg_history', 'hypothetical_indexes', 'hypothetical_projections', 'replicated_fetches') ORDER BY table, position;
SELECT count() FROM system.certificates;
SELECT count() FROM system.user_defined_functions;
CREATE TABLE c (a UInt8, b UInt8, CONSTRAINT small CHECK a < 5, CONSTRAINT known ASSUME b > a) ENGINE = MergeTree ORDER BY a;
SELECT table, name, type, expression FROM system.constraints WHERE database = currentDatabase() ORDER BY name;
SELECT DISTINCT context FROM system.completions WHERE context IN ('data type', 'format', 'merge tree setting', 'setting') ORDER BY context;
SELECT word, context FROM system.completions WHERE word IN ('UInt8', 'CSV', 'max_parts_in_total') AND context IN ('data type', 'format', 'merge tree setting') ORDER BY word;
