-- error: BAD_ARGUMENTS
SELECT groupArrayMovingAvg(0)(toDecimal32(1, 1));
-- error: BAD_ARGUMENTS
SELECT groupArrayMovingSum(0)(1);
SELECT groupArrayMovingSum(1)(number), groupArrayMovingAvg(2)(number) FROM numbers(3);
