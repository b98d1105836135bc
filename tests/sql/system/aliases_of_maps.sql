-- Keys and values of maps have names of their own, for old clients.
SELECT table, name, type, default_kind, default_expression FROM system.columns WHERE database = 'system' AND table IN ('processes', 'user_processes') AND default_kind != '' ORDER BY table, name;
SELECT name, type FROM system.columns WHERE database = 'system' AND table = 'schema_inference_cache' ORDER BY position;
SELECT ProfileEvents.Names = mapKeys(ProfileEvents), ProfileEvents.Values = mapValues(ProfileEvents), length(Settings.Names) = length(Settings.Values) FROM system.processes WHERE query_id = queryID();
SELECT count() > 0 FROM system.user_processes WHERE length(ProfileEvents.Names) = length(ProfileEvents.Values);
