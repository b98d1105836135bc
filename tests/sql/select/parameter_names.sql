SET param_x = 'ab';
SET param_e = 'a\'b';
SELECT {x:String}, {e:String}, concat({x:String}, 'z') FORMAT TSVWithNames;
SELECT length({x:String}) AS n, toTypeName({x:String}) FORMAT TSVWithNames;
SELECT 'cab' LIKE concat('%', {x:String}) AS found;
