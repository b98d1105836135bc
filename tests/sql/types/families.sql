-- Enum in any case, and the names of types that other databases have.
SELECT toTypeName(CAST('a', 'ENUM(\'a\'=1)')), toTypeName(CAST('a', 'enum8(\'a\'=1)')), toTypeName(CAST('a', 'ENUM16(\'a\'=1)'));
SELECT toTypeName('a'::enum('a', 'b')), toTypeName(CAST('a', 'enum(\'a\' = 300)'));
CREATE TABLE families (e ENUM('a', 'b'), f enum('x' = 300), g Nullable(ENUM('y')), b BIGINT SIGNED, c INT UNSIGNED, n NATIONAL CHAR VARYING(10)) ENGINE = Memory;
DESCRIBE families;
INSERT INTO families VALUES ('b', 'x', NULL, 1, 2, 'c');
SELECT * FROM families;
DROP TABLE families;
-- error: UNKNOWN_TYPE
SELECT CAST('a', 'enum32(\'a\' = 1)');
SELECT name, case_insensitive, alias_to FROM system.data_type_families WHERE name NOT IN ('Dynamic', 'GEOMETRY', 'Geometry', 'JSON', 'QBit', 'Variant') ORDER BY name;
