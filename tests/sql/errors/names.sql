-- error: UNKNOWN_IDENTIFIER
SELECT nope;
-- error: UNKNOWN_IDENTIFIER
SELECT number, nope FROM numbers(1);
-- error: UNKNOWN_TABLE
SELECT * FROM nope;
-- error: UNKNOWN_DATABASE
SELECT * FROM nodb.nope;
-- error: UNKNOWN_FUNCTION
SELECT nope(1);
-- error: UNKNOWN_FORMAT
SELECT 1 FORMAT Nope;
-- error: UNKNOWN_TYPE
SELECT CAST(1 AS Nope);
-- error: UNKNOWN_DATABASE
USE nope;
-- error: UNKNOWN_IDENTIFIER
SELECT number FROM numbers(1) ORDER BY nope;
-- error: UNKNOWN_IDENTIFIER
SELECT t.nope FROM numbers(1) AS t;
-- error: UNKNOWN_IDENTIFIER
SELECT other.number FROM numbers(1) AS t;
-- error: UNKNOWN_DATABASE
SHOW TABLES FROM nope;
-- error: UNKNOWN_TABLE
DESCRIBE TABLE nope;
-- error: UNKNOWN_TABLE
INSERT INTO nope VALUES (1);
-- error: UNKNOWN_FUNCTION
SELECT sumNope(number) FROM numbers(1);
