-- Types of states show parameters in one form, however they were written.
CREATE TABLE p1 (a AggregateFunction(topKWeighted(100, 3,'counts'), String, UInt64), b AggregateFunction( groupConcat( ',',2 ) , String)) ENGINE = MergeTree ORDER BY tuple();
SELECT name, type FROM system.columns WHERE database = currentDatabase() AND table = 'p1' ORDER BY name;
INSERT INTO p1 SELECT topKWeightedState(100, 3, 'counts')('x', toUInt64(10)), groupConcatState(',', 2)(toString(number)) FROM numbers(3);
SELECT topKWeightedMerge(100, 3, 'counts')(a), groupConcatMerge(',', 2)(b) FROM p1;
SELECT finalizeAggregation(groupConcatState('\n')(number)), finalizeAggregation(groupConcatState('\'')(number)), finalizeAggregation(groupConcatState(')')(number)) FROM numbers(2);
-- States of other parameters are no states of the function, where these decide what it keeps.
SELECT quantileMerge(0.9)(s), medianMerge(s) FROM (SELECT quantileState(0.3)(number) AS s FROM numbers(4));
SELECT sequenceMatchMerge('(?1)')(s) FROM (SELECT sequenceMatchState('(?2)')(number, number = 1, number = 2) AS s FROM numbers(4));
-- error: ILLEGAL_TYPE_OF_ARGUMENT
SELECT topKMerge(3)(s) FROM (SELECT topKState(4)(number) AS s FROM numbers(4));
-- error: ILLEGAL_TYPE_OF_ARGUMENT
SELECT groupArrayMerge(s) FROM (SELECT groupArrayState(3)(number) AS s FROM numbers(4));
-- error: ILLEGAL_TYPE_OF_ARGUMENT
SELECT uniqCombinedMerge(13)(s) FROM (SELECT uniqCombinedState(14)(number) AS s FROM numbers(4));
-- Parameters that a function does not take.
-- error: BAD_ARGUMENTS
SELECT groupConcat(',', 0)(number) FROM numbers(3);
-- error: TOO_MANY_ARGUMENTS_FOR_FUNCTION
SELECT groupConcat(',', 3, 3)(number) FROM numbers(3);
-- error: ILLEGAL_TYPE_OF_ARGUMENT
SELECT groupConcat(123)(number) FROM numbers(3);
-- error: NUMBER_OF_ARGUMENTS_DOESNT_MATCH
SELECT quantileGK()(number) FROM numbers(3);
-- error: NUMBER_OF_ARGUMENTS_DOESNT_MATCH
SELECT quantileDD()(number) FROM numbers(3);
-- error: BAD_ARGUMENTS
SELECT groupArrayMovingSum(0)(number) FROM numbers(3);
-- error: BAD_ARGUMENTS
SELECT groupArrayMovingAvg(0)(toDecimal32(number, 1)) FROM numbers(3);
-- A sample is another one for each group.
SELECT uniq(x) > 50 FROM (SELECT number, groupArraySample(10)(e) AS x FROM (SELECT number, arrayJoin(range(1000)) AS e FROM numbers(100)) GROUP BY number);
-- A function's other names are names of one type.
CREATE TABLE p2 (a AggregateFunction(first_value, UInt64), b AggregateFunction(median, UInt64), c AggregateFunction(last_valueIf, UInt64, UInt8), d SimpleAggregateFunction(SUM, UInt64)) ENGINE = AggregatingMergeTree ORDER BY tuple();
INSERT INTO p2 SELECT first_valueState(number), medianState(number), last_valueIfState(number, number < 2), 7 FROM numbers(3);
SELECT first_valueMerge(a), medianMerge(b), last_valueIfMerge(c), sum(d) FROM p2;
SELECT name, type FROM system.columns WHERE database = currentDatabase() AND table = 'p2' ORDER BY name;
-- States have no order.
-- error: ILLEGAL_TYPE_OF_ARGUMENT
SELECT sumArgMin(number, s) FROM (SELECT number, sumState(number) AS s FROM numbers(3) GROUP BY number);
