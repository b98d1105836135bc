-- LIKE with a character of its own that escapes.
SELECT 'a%c' LIKE 'a!%c' ESCAPE '!', 'abc' LIKE 'a!%c' ESCAPE '!', 'a%c' NOT LIKE 'a!%c' ESCAPE '!';
SELECT 'A%C' ILIKE 'a!%c' ESCAPE '!', 'A%C' NOT ILIKE 'a!%c' ESCAPE '!', 'a_' LIKE 'a!_' ESCAPE '!', 'ab' LIKE 'a!_' ESCAPE '!';
SELECT 'a!c' LIKE 'a!!c' ESCAPE '!', 'a!c' LIKE 'a!!%' ESCAPE '!', 'x%' LIKE 'x%%' ESCAPE '%', 'xy' LIKE 'x%%' ESCAPE '%';
-- A backslash is a character as others then, unless it is the one.
SELECT 'a\\c' LIKE 'a\\c' ESCAPE '!', 'a\\' LIKE '%\\' ESCAPE '!', 'a_c' LIKE 'a\\_c' ESCAPE '\\', 'abc' LIKE 'a\\_c' ESCAPE '\\';
SELECT 'a%c' LIKE 'a!%c' ESCAPE '!' AND 1, 'a%' LIKE NULL ESCAPE '!', NULL LIKE 'a' ESCAPE '!';
SELECT 'a%' LIKE 'a!%' ESCAPE '!' FORMAT TSVWithNames;
SELECT like('a%', 'a!%', '!'), notLike('a%', 'a!%', '!'), ilike('A%', 'a!%', '!'), notILike('A%', 'a!%', '!');
CREATE TABLE texts (s String, p String) ENGINE = MergeTree ORDER BY s;
INSERT INTO texts VALUES ('10%', '10!%'), ('100', '10!%'), ('1%_', '1!%!_'), ('a!b', 'a!!b'), ('b', '%');
SELECT s FROM texts WHERE s LIKE '10!%' ESCAPE '!';
SELECT s FROM texts WHERE s LIKE '1!%%' ESCAPE '!';
SELECT s FROM texts WHERE s NOT LIKE '%!%%' ESCAPE '!' ORDER BY s;
SELECT s, s LIKE p ESCAPE '!' FROM texts ORDER BY s;
-- error: CANNOT_PARSE_ESCAPE_SEQUENCE
SELECT 'a!c' LIKE 'a!c' ESCAPE '!';
-- error: CANNOT_PARSE_ESCAPE_SEQUENCE
SELECT 'a' LIKE 'a!' ESCAPE '!';
-- error: BAD_ARGUMENTS
SELECT 'a%' LIKE 'a!%' ESCAPE '';
-- error: BAD_ARGUMENTS
SELECT 'a%' LIKE 'a!!%' ESCAPE '!!';
-- error: SYNTAX_ERROR
SELECT 'a%c' LIKE 'a!%c' ESCAPE concat('!', '');
-- error: ILLEGAL_TYPE_OF_ARGUMENT
SELECT 1 LIKE 'a!%c' ESCAPE '!';
DROP TABLE texts;
