SELECT CURRENT_DATABASE = currentDatabase(), DATABASE = currentDatabase(), SCHEMA = currentDatabase();
SELECT CURRENT_USER = currentUser(), SESSION_USER = currentUser(), USER = currentUser(), current_user = currentUser();
SELECT TODAY = today(), CURDATE = today(), CURRENT_DATE = today(), CURRENT_DATE() = today(), NOW > 0;
SELECT current_user FROM (SELECT 1 AS current_user);
SELECT 5 AS current_database, current_database + 1;
-- error: UNKNOWN_IDENTIFIER
SELECT CURRENT_SCHEMA;
-- error: UNKNOWN_IDENTIFIER
SELECT VERSION;
SELECT OVERLAY('abcdef' PLACING 'X' FROM 2 FOR 1), OVERLAY('abcdef' PLACING 'X' FROM 2), overlay('abcdef', 'X', 2, 1), overlay('abcdef', 'X', 2);
SELECT OVERLAYUTF8('абвгд' PLACING 'X' FROM 2 FOR 1);
SELECT OVERLAY('abcdef' PLACING 'X' FROM 2 FOR 1) FORMAT TSVWithNames;
