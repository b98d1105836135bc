-- Keys of one and two bytes, alone and together, with and without NULL.
SELECT toUInt8(number % 5) AS k, count(), sum(number) FROM numbers(1000) GROUP BY k ORDER BY k;
SELECT toInt8(number % 5 - 2) AS k, count(), min(number), max(number) FROM numbers(1000) GROUP BY k ORDER BY k;
SELECT toInt16(number % 3 - 30000) AS k, uniqExact(number % 10) FROM numbers(1000) GROUP BY k ORDER BY k;
SELECT count(), sum(k) FROM (SELECT toUInt16(number) AS k, count() FROM numbers(200000) GROUP BY k);
SELECT if(number % 4 = 0, NULL, toUInt8(number % 3)) AS k, count(), avg(number) FROM numbers(1000) GROUP BY k ORDER BY k NULLS FIRST;
SELECT CAST(number % 3 + 1 AS Enum8('a' = 1, 'b' = 2, 'c' = 3)) AS k, groupArray(number) FROM numbers(9) GROUP BY k ORDER BY k;
SELECT number % 2 = 0 AS even, toUInt8(number % 3) AS k, countIf(number > 500), any(k) FROM numbers(1000) GROUP BY even, k ORDER BY even, k;
SELECT toDate('2024-01-01') + number % 3 AS d, count() FROM numbers(10) GROUP BY d ORDER BY d;
SELECT toUInt8(number % 2) AS k, sum(number) FROM numbers(10) GROUP BY k WITH TOTALS ORDER BY k;
SELECT toUInt8(number % 2) AS k, toUInt8(number % 3) AS l, sum(number) FROM numbers(10) GROUP BY ROLLUP(k, l) ORDER BY k, l, sum(number);
SELECT toUInt8(number % 2) AS k, count() FROM numbers(0) GROUP BY k;
SELECT toUInt8(number) AS k, quantileExact(0.5)(number) FROM numbers(3) GROUP BY k ORDER BY k SETTINGS max_threads = 1;
SELECT DISTINCT toUInt8(number % 3) AS k FROM numbers(100) ORDER BY k;
SELECT DISTINCT toUInt8(number % 3) AS k FROM numbers(100) ORDER BY k LIMIT 2;
