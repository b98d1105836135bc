-- What tools read of views, and of the variables of MySQL.
CREATE TABLE told (a Int8) ENGINE = Memory;
CREATE VIEW told_view AS SELECT a FROM told;
SELECT engine, engine_full, as_select FROM system.tables WHERE database = currentDatabase() AND name = 'told_view';
SELECT table_name, view_definition FROM information_schema.views WHERE table_name = 'told_view';
SELECT engine_full FROM system.tables WHERE database = 'system' AND name IN ('one', 'numbers', 'tables');
SELECT @@sql_mode, @@unheard_of;
DROP VIEW told_view;
