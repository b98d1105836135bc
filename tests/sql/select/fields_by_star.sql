-- Keys and values of a map, and the fields of tuples in an array.
WITH map('a', 1, 'b', 2) AS m SELECT m.* FORMAT TSVWithNames;
WITH map('a', (1, 2), 'b', (3, 4))::Map(String, Tuple(x UInt8, y UInt8)) AS m SELECT m.keys, m.values.* FORMAT TSVWithNames;
SELECT m.*, t.* FROM (SELECT map(1, 2) AS m, [(1, 'a'), (2, 'b')]::Array(Tuple(n UInt8, s String)) AS t) FORMAT TSVWithNames;
-- error: UNSUPPORTED_METHOD
WITH [1, 2] AS plain SELECT plain.*;
