SET param_n = '3';
SET param_s = 'it''s';
SET param_d = '2024-02-29';
SET param_a = '[1, 2, 3]';
SELECT {n:UInt8}, toTypeName({n:UInt8});
SELECT {s:String}, length({s:String});
SELECT {d:Date} + 1;
SELECT {a:Array(UInt8)};
SELECT number FROM numbers({n:UInt64});
-- error: UNKNOWN_QUERY_PARAMETER
SELECT {unknown:UInt8};
-- error: BAD_QUERY_PARAMETER
SELECT {s:UInt8};
