-- Within arrays and tuples NaN stands between the numbers and NULL, and what follows it decides between equal ones.
SELECT t FROM values('t Tuple(Float64, UInt8)', ((nan, 1)), ((1, 2)), ((nan, 0)), ((0.5, 3)), ((-nan, 2))) ORDER BY t;
SELECT t FROM values('t Tuple(Float64, UInt8)', ((nan, 1)), ((1, 2)), ((nan, 0)), ((0.5, 3)), ((-nan, 2))) ORDER BY t DESC;
SELECT t FROM values('t Tuple(Nullable(Float64), UInt8)', ((NULL, 1)), ((nan, 2)), ((NULL, 0)), ((0, 3)), ((nan, 1))) ORDER BY t;
SELECT t FROM values('t Tuple(Nullable(Float64), UInt8)', ((NULL, 1)), ((nan, 2)), ((NULL, 0)), ((0, 3)), ((nan, 1))) ORDER BY t DESC;
SELECT t FROM values('t Tuple(Nullable(Float64), UInt8)', ((NULL, 1)), ((nan, 2)), ((NULL, 0)), ((0, 3)), ((nan, 1))) ORDER BY t NULLS FIRST;
SELECT t FROM values('t Tuple(Nullable(Float64), UInt8)', ((NULL, 1)), ((nan, 2)), ((NULL, 0)), ((0, 3)), ((nan, 1))) ORDER BY t DESC NULLS FIRST;
SELECT t FROM values('t Tuple(Nullable(UInt8), UInt8)', ((NULL, 1)), ((1, 2)), ((NULL, 0)), ((0, 3))) ORDER BY t DESC;
SELECT t FROM values('t Array(Nullable(Float64))', ([NULL, 1]), ([nan, 2]), ([NULL, 0]), ([0, 3]), ([nan, 1]), ([])) ORDER BY t;
SELECT t FROM values('t Array(Nullable(Float64))', ([NULL, 1]), ([nan, 2]), ([NULL, 0]), ([0, 3]), ([nan, 1]), ([])) ORDER BY t DESC;
SELECT t FROM values('t Tuple(Tuple(Nullable(Float32), UInt8), UInt8)', (((NULL, 1), 1)), (((nan, 1), 2)), (((NULL, 1), 0)), (((nan, 1), 0)), (((1, 1), 0))) ORDER BY t;
SELECT a, b FROM values('a Tuple(Nullable(Float64), UInt8), b UInt8', ((nan, 1), 1), ((nan, 1), 0), ((NULL, 1), 2), ((1, 1), 0), ((NULL, 1), 1)) ORDER BY a, b DESC;
SELECT t FROM values('t Tuple(Nullable(Float64), UInt8)', ((NULL, 1)), ((nan, 2)), ((0, 3))) ORDER BY t LIMIT 2;
