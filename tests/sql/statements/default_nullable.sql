-- Columns that say neither NULL nor NOT NULL are Nullable, where a setting says so.
SET data_type_default_nullable = 1;
CREATE TABLE plain (a UInt8, b UInt8 NOT NULL, c Nullable(UInt8), d UInt8 NULL, e DEFAULT 5, f UInt8 DEFAULT 3, g UInt8 MATERIALIZED 7, h String ALIAS 'x', i DateTime('UTC') COMMENT 'q', j Array(UInt8) NOT NULL) ENGINE = Memory;
SELECT name, type FROM system.columns WHERE database = currentDatabase() AND table = 'plain' ORDER BY position;
-- error: ILLEGAL_TYPE_OF_ARGUMENT
CREATE TABLE lists (a Array(UInt8)) ENGINE = Memory;
-- error: ILLEGAL_TYPE_OF_ARGUMENT
CREATE TABLE words (a LowCardinality(String)) ENGINE = Memory;
-- error: ILLEGAL_TYPE_OF_ARGUMENT
CREATE TABLE states (a AggregateFunction(sum, UInt8)) ENGINE = Memory;
CREATE TABLE filled (a UInt8) ENGINE = Memory AS SELECT 1 AS a;
SELECT toTypeName(a), a FROM filled;
CREATE TABLE alike AS plain ENGINE = Memory;
SELECT name, type FROM system.columns WHERE database = currentDatabase() AND table = 'alike' AND name IN ('a', 'b') ORDER BY position;
ALTER TABLE plain ADD COLUMN k UInt8;
SELECT name, type FROM system.columns WHERE database = currentDatabase() AND table = 'plain' AND name = 'k';
SELECT toTypeName(CAST(1 AS UInt8));
SET data_type_default_nullable = 0;
CREATE TABLE usual (a UInt8) ENGINE = Memory;
SELECT type FROM system.columns WHERE database = currentDatabase() AND table = 'usual';
SELECT toTypeName(x), x FROM format(CSV, 'x UInt8', '1') SETTINGS data_type_default_nullable = 1;
SELECT toTypeName(a), toTypeName(b) FROM values('a UInt8, b Nullable(UInt8)', (1, 2)) SETTINGS data_type_default_nullable = 1;
