-- Columns are named by the values of parameters: numbers as numbers, others as texts, types as they are written.
SET param_n = '7', param_m = '-7', param_u = '18446744073709551615', param_f = '1.5', param_w = '1', param_d = '2020-01-01', param_b = '0', param_s = 'abc', param_z = '\\N';
SELECT {n:UInt8}, {m:Int32}, {u:UInt64} FORMAT TSVWithNames;
SELECT {n:Nullable(Int8)}, {n:LowCardinality(UInt8)}, {z:Nullable(UInt8)} FORMAT TSVWithNames;
SELECT {f:Float64}, {w:Float64}, {f:Float32} FORMAT TSVWithNames;
SELECT {d:Date}, {b:Bool} FORMAT TSVWithNames;
SELECT {s:String}, {s:FixedString(3)}, {s:LowCardinality(String)} FORMAT TSVWithNames;
SELECT {n: UInt8}, {n:Nullable( UInt8 )} FORMAT TSVWithNames;
SELECT {n:UInt8} + 1, [{n:UInt8}], -{n:UInt8} FORMAT TSVWithNames;
SELECT toTypeName({n:UInt8}), toTypeName({n:Int64}), toTypeName({w:Float32}), toTypeName({d:Date}), toTypeName({n:Nullable(UInt16)});
SELECT number IN ({n:UInt8}, {m:Int32}), number = {n:UInt64} FROM numbers({n:UInt64}, 2) LIMIT {w:UInt8};
SELECT {n:UInt8} AS x, count() FROM numbers(10) WHERE number < {n:UInt8} GROUP BY x FORMAT JSONEachRow;
SELECT DATE '2024-01-01' + INTERVAL {n:Int32} DAY, arrayElement([1, 2], {w:UInt8}), {n:Decimal(5, 2)} * 2;
SET param_o = '300';
SELECT toTypeName({o:UInt16}), {o:UInt16};
-- error: BAD_QUERY_PARAMETER
SELECT {s:UInt8};
