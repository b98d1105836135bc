SELECT groupArrayMovingSumMerge(s) FROM (SELECT groupArrayMovingSumState(2)(number) AS s FROM numbers(5));
SELECT groupArrayMovingSumMerge(3)(s), groupArrayMovingAvgMerge(2)(a) FROM (SELECT groupArrayMovingSumState(2)(number) AS s, groupArrayMovingAvgState(2)(number) AS a FROM numbers(5));
-- error: EMPTY_LIST_OF_COLUMNS_PASSED
CREATE TABLE nothing_stored (a UInt8 EPHEMERAL, b UInt8 ALIAS 1) ENGINE = Memory;
