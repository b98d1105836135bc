SELECT map('k', (1, [2, 3]))['k'].2[1], (1, [2, 3]).2[1], t.2[1], t.b[2] FROM (SELECT (1, [5, 6])::Tuple(a UInt8, b Array(UInt8)) AS t);
SELECT x.1[1], x.2[2].1, x.2[-1].2 + 1 FROM (SELECT ([7], [(1, 2), (3, 4)]) AS x);
SELECT '[1,2]'::Array(UInt8)[2], t.1['b'], t.2[1][2] FROM (SELECT (map('a', 1, 'b', 2), [[1, 2], [3]]) AS t);
