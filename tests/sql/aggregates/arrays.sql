SELECT groupArray(x) FROM (SELECT number AS x FROM numbers(5) ORDER BY x);
SELECT groupArray(2)(x) FROM (SELECT number AS x FROM numbers(5) ORDER BY x);
SELECT arraySort(groupUniqArray(number % 3)) FROM numbers(10);
SELECT length(groupUniqArray(2)(number)) FROM numbers(10);
SELECT groupArray(x) FROM (SELECT arrayJoin(['a', NULL, 'b']) AS x);
SELECT groupArrayInsertAt(number, number) FROM numbers(3);
SELECT groupArrayMovingSum(number), groupArrayMovingAvg(number) FROM numbers(5);
SELECT groupArraySorted(3)(number) FROM (SELECT 10 - number AS number FROM numbers(10));
SELECT groupArrayLast(2)(number) FROM numbers(5);
SELECT k, groupArray(v) FROM (SELECT number % 2 AS k, number AS v FROM numbers(6) ORDER BY v) GROUP BY k ORDER BY k;
SELECT groupArray((number, toString(number))) FROM numbers(2);
SELECT groupConcat(',')(toString(number)) FROM numbers(4);
SELECT arrayStringConcat(groupArray(toString(number)), '-') FROM numbers(4);
SELECT topK(2)(x) FROM (SELECT arrayJoin(['a', 'a', 'a', 'b', 'b', 'c']) AS x);
SELECT groupArrayIntersect(a) FROM (SELECT arrayJoin([[1, 2], [2, 3]]) AS a);
SELECT toTypeName(groupArray(number)), toTypeName(groupUniqArray('a')) FROM numbers(1);
SELECT sumMap([1, 2], [10, 20]), minMap([1, 2], [10, 20]), maxMap([1, 2], [number, 1]) FROM numbers(3);
-- gap: Function with name 'histogram' does not exist. (UNKNOWN_FUNCTION)
SELECT histogram(2)(number) IS NOT NULL FROM numbers(5);
