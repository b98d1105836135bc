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
-- Names that begin with a digit, and with a dollar.
SET param_1x = 'a';
SET param_1e5x = 'b';
SET param_$a = '4';
SET param_b$c = '5';
SELECT {1x:String}, {$a:UInt8}, {b$c:UInt8} + 1;
SELECT $$it's$$, {1x:String};
-- error: SYNTAX_ERROR
SELECT {1:UInt8};
