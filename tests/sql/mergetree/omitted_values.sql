CREATE TABLE t (id UInt64, x Int32 DEFAULT id + 5, s String DEFAULT concat('a', toString(x)), n Nullable(Int32) DEFAULT 7, a Array(Int32) DEFAULT [1, 2], m UInt64 MATERIALIZED x * 10) ENGINE = MergeTree ORDER BY id;
INSERT INTO t FORMAT JSONEachRow {"id": 1} {"id": 2, "x": 100} {"id": 3, "s": "given"} {"id": 4, "x": null, "n": null} {"id": 5, "x": 0, "s": "", "n": 0, "a": []};
INSERT INTO t FORMAT CSV
11,,,,
;
INSERT INTO t FORMAT CSV
12,0,"",\N,"[]"
;
INSERT INTO t FORMAT TSV
13	\N	\N	\N	[3]
;
INSERT INTO t FORMAT CSVWithNames
s,id
"text",14
;
INSERT INTO t FORMAT TSVWithNames
id	a
15	[15]
;
INSERT INTO t FORMAT Values (16, DEFAULT, 'b', DEFAULT, [16]), (17, NULL, NULL, NULL, []);
INSERT INTO t VALUES (18, DEFAULT, 'b', DEFAULT, [18]), (19, NULL, NULL, NULL, []);
INSERT INTO t FORMAT JSONCompactEachRow [20, null, null, null, null];
SELECT *, m FROM t ORDER BY id;
SET input_format_defaults_for_omitted_fields = 0;
INSERT INTO t FORMAT JSONEachRow {"id": 30};
SELECT *, m FROM t WHERE id = 30;
SET input_format_defaults_for_omitted_fields = 1;
CREATE TABLE u (id UInt64, x Int32 DEFAULT 5, y Int32 DEFAULT x + 1, z Int32) ENGINE = MergeTree ORDER BY id;
INSERT INTO u SELECT 1, NULL, NULL, NULL;
INSERT INTO u SELECT 2, CAST(NULL, 'Nullable(Int32)'), 3, number FROM numbers(1);
INSERT INTO u (id, x) SELECT number, if(number % 2 = 0, NULL, number) FROM numbers(10, 4);
SELECT * FROM u ORDER BY id;
SET insert_null_as_default = 0;
-- error: CANNOT_INSERT_NULL_IN_ORDINARY_COLUMN
INSERT INTO u SELECT 4, CAST(NULL, 'Nullable(Int32)'), 3, 4;
CREATE TABLE v (id UInt32, r UUID DEFAULT generateUUIDv4(), h UInt64 MATERIALIZED cityHash64(r), r2 UUID DEFAULT r) ENGINE = MergeTree ORDER BY id;
INSERT INTO v (id) SELECT number FROM numbers(100);
INSERT INTO v FORMAT JSONEachRow {"id": 1000} {"id": 1001};
SELECT countIf(h != cityHash64(r)), countIf(r != r2), uniqExact(r) FROM v;
CREATE TABLE w (id UInt32, e UInt32 EPHEMERAL 9, x UInt32 DEFAULT e * 2) ENGINE = MergeTree ORDER BY id;
INSERT INTO w (id, e) FORMAT JSONEachRow {"id": 1, "e": 3} {"id": 2};
INSERT INTO w (id) VALUES (3);
SELECT * FROM w ORDER BY id;
-- error: CYCLIC_ALIASES
CREATE TABLE circle (a UInt32 DEFAULT b, b UInt32 DEFAULT a) ENGINE = Memory;
