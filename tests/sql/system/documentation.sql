-- What there is, and what versions changed of it.
SELECT name, type FROM system.documentation WHERE name IN ('ceiling', 'sum', 'numbers', 'max_threads', 'MergeTree', 'UInt8', 'minmax', 'LZ4', 'OrNull', 'CSV', 'Query', 'index_granularity', 'max_connections', 'local', 'Atomic') ORDER BY type, name;
SELECT description FROM system.documentation WHERE name = 'ceiling';
SELECT description LIKE '%**Syntax**\n\n```sql\ntanh(x)\n```%' FROM system.documentation WHERE name = 'tanh';
SELECT version, change.name, change.previous_value, change.new_value, change.compatibility_mode FROM system.settings_changes ARRAY JOIN changes AS change WHERE type = 'Session' AND change.name IN ('http_receive_timeout', 'http_send_timeout', 'input_format_null_as_default', 'async_insert', 'date_time_input_format', 'optimize_on_insert') ORDER BY change.name;
SELECT type, version FROM system.settings_changes WHERE version IN ('20.10', '23.6', '26.2') AND type = 'Session' ORDER BY version;
