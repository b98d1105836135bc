-- A part of a column is shown behind the column, which has its table before it where another is called so.
SELECT t.a.x, t.a.x + 1, max(t.a.x) FROM (SELECT (1, 2)::Tuple(x UInt8, y UInt8) AS a) AS t GROUP BY t.a.x FORMAT TSVWithNames;
SELECT t.a.x, u.a.x FROM (SELECT (1, 2)::Tuple(x UInt8, y UInt8) AS a) AS t, (SELECT (3, 4)::Tuple(x UInt8, y UInt8) AS a) AS u FORMAT TSVWithNames;
SELECT t.a.x, 5 AS a, t.m.keys, t.n.null FROM (SELECT (1, 2)::Tuple(x UInt8, y UInt8) AS a, map(1, 2) AS m, toNullable(1) AS n) AS t FORMAT TSVWithNames;
