-- AND and OR are Bool where an operand is one that cannot be NULL, and Nullable where one can be; XOR takes either for one.
CREATE TABLE flags (id UInt8, b Bool, nb Nullable(Bool), n Nullable(UInt8)) ENGINE = Memory;
INSERT INTO flags VALUES (1, true, true, 1), (2, false, NULL, 1), (3, true, NULL, NULL), (4, true, false, 0);
SELECT b AND nb AS a, nb AND b AS c, b AND n AS d, n AND b AS e FROM flags ORDER BY id FORMAT TSVWithNamesAndTypes;
SELECT b OR nb AS a, b OR n AS c, nb OR n AS d, nb OR nb AS e FROM flags ORDER BY id FORMAT TSVWithNamesAndTypes;
SELECT id AND nb AS a, nb AND n AS c, b AND id AND n AS d, b AND (id AND n) AS e FROM flags ORDER BY id FORMAT TSVWithNamesAndTypes;
SELECT b AND n IN (3, 0) AS a, b AND true AND n AS c, and(b, n, id) AS d FROM flags ORDER BY id FORMAT TSVWithNamesAndTypes;
SELECT b AND NULL AS a, NULL AND b AS c, NULL OR nb AS d, b AND nb AND NULL AS e FROM flags ORDER BY id FORMAT TSVWithNamesAndTypes;
SELECT xor(nb, id) AS a, xor(b, n) AS c, NOT nb AS d FROM flags ORDER BY id FORMAT TSVWithNamesAndTypes;
SELECT arrayMap(x -> x AND b, [nb]) AS a, arrayMap(x -> x AND nb, [b]) AS c, arrayMap(x -> x OR id, [nb]) AS d FROM flags ORDER BY id FORMAT TSVWithNamesAndTypes;
SELECT l.id, l.b AND r.b AS a, l.b OR r.b AS c FROM flags AS l LEFT JOIN (SELECT * FROM flags WHERE id < 3) AS r ON l.id = r.id ORDER BY l.id SETTINGS join_use_nulls = 1 FORMAT TSVWithNamesAndTypes;
SELECT count() FROM flags WHERE b AND nb;
SELECT count() FROM flags WHERE n OR b;
