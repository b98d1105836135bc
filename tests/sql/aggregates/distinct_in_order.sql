SELECT groupArrayDistinct(x) FROM (SELECT number * 7 % 10 AS x FROM numbers(10));
SELECT groupArrayDistinct(x) FROM (SELECT toString(number * 7 % 10) AS x FROM numbers(10));
SELECT groupArray(DISTINCT 5 - number % 3) FROM numbers(10);
SELECT k, groupArrayDistinct(x) FROM (SELECT number % 2 AS k, toString(number * 7 % 5) AS x FROM numbers(20)) GROUP BY k ORDER BY k;
SELECT groupArrayDistinct(x) FROM VALUES('x LowCardinality(String)', 'b', 'a', 'c', 'b');
SELECT groupArrayDistinct(x) FROM VALUES('x Tuple(UInt8, String)', (3, 'a'), (1, 'b'));
SELECT groupConcatDistinct(',')(toString(x)) FROM (SELECT number * 77777 % 1000 AS x FROM numbers(12));
SELECT anyDistinct(5 - number % 3), anyLastDistinct(5 - number % 3), groupArrayDistinctIf(5 - number, number > 1) FROM numbers(6);
