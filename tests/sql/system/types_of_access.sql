-- Privileges are names of an Enum, as clients of typed protocols read them.
SELECT table, name, type FROM system.columns WHERE database = 'system' AND table IN ('grants', 'privileges', 'settings_profile_elements') ORDER BY table, position;
SELECT privilege, level, parent_group FROM system.privileges WHERE privilege IN ('SELECT', 'ALTER UPDATE', 'CREATE VIEW', 'ALL') ORDER BY privilege;
SELECT toTypeName(level), toInt16(privilege) FROM system.privileges WHERE privilege = 'SELECT';
SELECT privilege FROM system.privileges WHERE parent_group = 'CREATE' AND privilege LIKE '%TEMPORARY%' ORDER BY privilege;
SELECT name, type FROM system.columns WHERE database = 'information_schema' AND table = 'key_column_usage' ORDER BY position;
