-- A query as a table, settings by name, the server's own facts.
SELECT * FROM view(SELECT number AS n FROM numbers(3)) ORDER BY n;
SELECT v.n FROM view(WITH 2 AS x SELECT x AS n) AS v;
SELECT getSettingOrDefault('no_such', 7), getSettingOrDefault('join_use_nulls', 5);
SELECT toTypeName(getSettingOrDefault('no_such', 7)), toTypeName(getSettingOrDefault('join_use_nulls', 5));
-- error: UNKNOWN_SETTING
SELECT getSetting('no_such');
SELECT tcpPort(), toTypeName(tcpPort()), getOSKernelVersion() LIKE 'Linux %', shardNum(), toTypeName(shardCount());
