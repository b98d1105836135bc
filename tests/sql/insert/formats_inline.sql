CREATE TABLE t (a Int32, b String, c Nullable(Int32)) ENGINE = Memory;
INSERT INTO t FORMAT CSV
1,"one, two",10
2,plain,\N
;
INSERT INTO t FORMAT TSV
3	tab\tbed	30
4	x	\N
;
INSERT INTO t FORMAT JSONEachRow {"a": 5, "b": "json", "c": null} {"b": "no a", "c": 1, "a": 6};
INSERT INTO t FORMAT CSVWithNames
"b","a"
"names",7
;
INSERT INTO t FORMAT Values (8, 'values', 80);
INSERT INTO t FORMAT TSVWithNames
c	b	a
90	nine	9
;
INSERT INTO t FORMAT JSONCompactEachRow [10, "compact", 100];
SELECT * FROM t ORDER BY a;
