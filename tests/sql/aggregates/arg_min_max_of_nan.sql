SELECT sumArgMin(x, k), sumArgMax(x, k) FROM values('x Int32, k Float64', (1, nan), (2, 1), (3, 2));
SELECT sumArgMin(x, k), sumArgMax(x, k) FROM values('x Int32, k Float64', (2, 1), (1, nan), (3, 2), (4, 2));
-- NaN equals no NaN.
SELECT sumArgMax(x, k), sumArgMin(x, k) FROM values('x Int32, k Float64', (1, nan), (7, nan));
SELECT groupArrayArgMin(x, k), groupArrayArgMax(x, k) FROM values('x Int32, k Nullable(Float64)', (1, NULL), (2, 1), (3, 2), (4, nan), (5, 2), (6, 1));
SELECT groupArrayArgMin(x, k), groupArrayArgMax(x, k) FROM values('x Int32, k Tuple(Float64, Int32)', (2, (1, 2)), (3, (2, 3)), (5, (2, 3)));
