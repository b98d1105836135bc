-- SET of several parameters, with settings among them, and of containers.
SET param_a = 'x', param_b = 'y';
SELECT {a:String}, {b:String};
SET param_p = 1, max_threads = 2;
SELECT {p:UInt8}, getSetting('max_threads');
SET max_threads = 3, param_q = 5;
SELECT {q:UInt8}, getSetting('max_threads');
SET param_arr = [1, 2], param_texts = ['a', 'b\'c'], param_nested = [[1], [2, 3]], param_empty = [], param_nulls = [NULL, 1];
SELECT {arr:Array(UInt8)}, {texts:Array(String)}, {nested:Array(Array(UInt8))}, {empty:Array(UInt8)}, {nulls:Array(Nullable(UInt8))};
SET param_tup = (1, 'a'), param_m = {'a': 1, 'b': 2};
SELECT {tup:Tuple(UInt8, String)}, {m:Map(String, UInt8)};
SET param_neg = -5, param_fl = 1.5, param_nul = NULL, param_tr = true;
SELECT {neg:Int8}, {fl:Float64}, {tr:Bool};
-- error: SYNTAX_ERROR
SET param_x = 1 + 1;
