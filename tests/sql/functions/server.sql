SELECT getServerSetting('max_connections'), toTypeName(getServerSetting('max_connections')), getServerSetting('default_database'), getServerSetting('query_condition_cache_size'), toTypeName(getServerSetting('query_condition_cache_size'));
SELECT getServerSetting('keep_alive_timeout'), toTypeName(getServerSetting('keep_alive_timeout')), toTypeName(getServerSetting('max_server_memory_usage_to_ram_ratio'));
SELECT name, type, toTypeName(changeable_without_restart) FROM system.server_settings WHERE name IN ('max_connections', 'keep_alive_timeout', 'path', 'max_concurrent_queries', 'uncompressed_cache_size', 'user_files_path', 'max_server_memory_usage', 'max_server_memory_usage_to_ram_ratio', 'default_database', 'query_condition_cache_size', 'shutdown_wait_unfinished') ORDER BY name;
-- error: UNKNOWN_SETTING
SELECT getServerSetting('nope');
-- error: ILLEGAL_TYPE_OF_ARGUMENT
SELECT getServerSetting(1);
-- error: ILLEGAL_COLUMN
SELECT getServerSetting(materialize('max_connections'));
-- error: NUMBER_OF_ARGUMENTS_DOESNT_MATCH
SELECT getServerSetting();
SELECT getMergeTreeSetting('index_granularity'), toTypeName(getMergeTreeSetting('index_granularity')), getMergeTreeSetting('storage_policy'), getMergeTreeSetting('merge_selector_base'), toTypeName(getMergeTreeSetting('merge_selector_base'));
SELECT getMergeTreeSetting('max_partitions_to_read'), toTypeName(getMergeTreeSetting('max_partitions_to_read')), getMergeTreeSetting('min_age_to_force_merge_on_partition_only'), toTypeName(getMergeTreeSetting('min_age_to_force_merge_on_partition_only'));
SELECT getMergeTreeSetting('deduplicate_merge_projection_mode'), toTypeName(getMergeTreeSetting('ratio_of_defaults_for_sparse_serialization'));
-- error: UNKNOWN_SETTING
SELECT getMergeTreeSetting('nope');
-- error: ILLEGAL_COLUMN
SELECT getMergeTreeSetting(materialize('index_granularity'));
-- error: NUMBER_OF_ARGUMENTS_DOESNT_MATCH
SELECT getMergeTreeSetting('index_granularity', 1);
SELECT connectionId(), toTypeName(connectionId()), connection_id(), CONNECTION_ID();
-- error: NUMBER_OF_ARGUMENTS_DOESNT_MATCH
SELECT connectionId(1);
-- error: NO_ELEMENTS_IN_CONFIG
SELECT getMacro('shard');
-- error: ILLEGAL_TYPE_OF_ARGUMENT
SELECT getMacro(1);
-- error: ILLEGAL_COLUMN
SELECT getMacro(materialize('shard'));
SELECT currentProfiles(), enabledProfiles(), defaultProfiles(), toTypeName(currentProfiles());
-- error: NUMBER_OF_ARGUMENTS_DOESNT_MATCH
SELECT currentProfiles(1);
SELECT hasColumnInTable('system', 'one', 'dummy'), toTypeName(hasColumnInTable('system', 'one', 'dummy')), hasColumnInTable('system', 'one', 'x');
CREATE TABLE t (a Int8, b Int8 ALIAS a + 1, c Int8 MATERIALIZED 3, e Int8 EPHEMERAL 3) ENGINE = Memory;
SELECT hasColumnInTable(currentDatabase(), 't', 'a'), hasColumnInTable(currentDatabase(), 't', 'b'), hasColumnInTable(currentDatabase(), 't', 'c'), hasColumnInTable(currentDatabase(), 't', 'e');
-- error: UNKNOWN_TABLE
SELECT hasColumnInTable('system', 'nonono', 'x');
-- error: UNKNOWN_DATABASE
SELECT hasColumnInTable('nodb', 'one', 'x');
-- error: NUMBER_OF_ARGUMENTS_DOESNT_MATCH
SELECT hasColumnInTable('system', 'one');
-- error: ILLEGAL_TYPE_OF_ARGUMENT
SELECT hasColumnInTable('system', materialize('one'), 'dummy');
SELECT toTypeName(filesystemAvailable()), filesystemAvailable('default') > 0, filesystemAvailable(materialize('default')) <= filesystemUnreserved(), filesystemUnreserved('default') <= filesystemCapacity('default');
-- error: UNKNOWN_DISK
SELECT filesystemAvailable('nodisk') > 0;
-- error: ILLEGAL_TYPE_OF_ARGUMENT
SELECT filesystemAvailable(1) > 0;
SELECT name, deterministic, categories FROM system.functions WHERE name IN ('getServerSetting', 'getMergeTreeSetting', 'connectionId', 'hasColumnInTable', 'currentProfiles', 'getMacro', 'filesystemAvailable', 'formatRow') ORDER BY name;
