-- NULL is the default of elements that cannot hold it.
CREATE TABLE t (p Tuple(UInt8, String), a Array(UInt8), m Map(String, UInt8), n Array(Nullable(UInt8))) ENGINE = Memory;
INSERT INTO t VALUES ((NULL, 'a'), [NULL, 1], {'k': NULL}, [NULL, 2]);
INSERT INTO t (p) VALUES ((1, NULL));
SELECT * FROM t ORDER BY p;
