-- NULL is the default of elements that cannot hold it, however deep they lie.
CREATE TABLE deep (a Array(Array(UInt8)), b Array(Tuple(UInt8, String)), c Map(String, Array(Nullable(UInt8)))) ENGINE = Memory;
INSERT INTO deep VALUES ([[NULL, 1], [2]], [(NULL, NULL), (3, 'x')], {'k': [NULL, 4]});
SELECT * FROM deep;
