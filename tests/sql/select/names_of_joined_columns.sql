CREATE TABLE ta (id UInt8, v UInt8) ENGINE = Memory;
CREATE TABLE tb (id UInt8, w UInt8) ENGINE = Memory;
SELECT * FROM ta JOIN tb ON ta.id = tb.id FORMAT TSVWithNames;
SELECT ta.id, tb.id, tb.w FROM ta JOIN tb ON ta.id = tb.id FORMAT TSVWithNames;
SELECT * FROM ta AS x JOIN ta AS y ON x.id = y.id FORMAT TSVWithNames;
SELECT * FROM ta AS x JOIN ta AS y USING id FORMAT TSVWithNames;
SELECT x.id, y.id, x.v, y.v FROM ta AS x JOIN ta AS y USING id FORMAT TSVWithNames;
SELECT * APPLY(max) FROM ta AS x JOIN ta AS y USING id FORMAT TSVWithNames;
SELECT y.*, x.* FROM ta AS x, tb AS y FORMAT TSVWithNames;
SELECT * EXCEPT (id) FROM ta AS x JOIN tb AS y ON x.id = y.id FORMAT TSVWithNames;
SELECT * REPLACE (5 AS id) FROM ta AS x JOIN tb AS y ON x.id = y.id FORMAT TSVWithNames;
SELECT COLUMNS('id') FROM ta AS x JOIN tb AS y ON x.id = y.id FORMAT TSVWithNames;
SELECT x.id + y.id, x.id AS z, max(y.id) FROM ta AS x JOIN tb AS y ON x.id = y.id GROUP BY x.id, y.id FORMAT TSVWithNames;
SELECT a.id, b.id, c.id, w FROM ta AS a JOIN ta AS b ON a.id = b.id JOIN tb AS c ON a.id = c.id FORMAT TSVWithNames;
SELECT * FROM ta AS a JOIN ta AS b ON a.id = b.id JOIN tb AS c ON a.id = c.id FORMAT TSVWithNames;
SELECT id, y.id FROM (SELECT x.id, y.id FROM ta AS x JOIN tb AS y ON x.id = y.id) FORMAT TSVWithNames;
SELECT x.id, y.id FROM ta AS x JOIN tb AS y ON x.id = y.id SETTINGS single_join_prefer_left_table = 0 FORMAT TSVWithNames;
SELECT ta.id, default.ta.v FROM ta AS x FORMAT TSVWithNames;
SELECT t.name FROM system.tables t JOIN system.databases d ON system.tables.database = system.databases.name WHERE 0 FORMAT TSVWithNames
