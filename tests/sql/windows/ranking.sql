SELECT number, row_number() OVER (ORDER BY number DESC) FROM numbers(4) ORDER BY number;
SELECT x, rank() OVER w, dense_rank() OVER w, row_number() OVER (ORDER BY x, n) FROM (SELECT number AS n, intDiv(number, 2) AS x FROM numbers(6)) WINDOW w AS (ORDER BY x) ORDER BY n;
SELECT number % 2 AS k, number, row_number() OVER (PARTITION BY number % 2 ORDER BY number) AS r FROM numbers(6) ORDER BY number;
SELECT number, ntile(3) OVER (ORDER BY number) FROM numbers(7) ORDER BY number;
SELECT number, percent_rank() OVER (ORDER BY number), cume_dist() OVER (ORDER BY number) FROM numbers(5) ORDER BY number;
SELECT number, lag(number) OVER (ORDER BY number), lead(number) OVER (ORDER BY number), lagInFrame(number) OVER (ORDER BY number), leadInFrame(number, 1, 99) OVER (ORDER BY number ROWS BETWEEN UNBOUNDED PRECEDING AND UNBOUNDED FOLLOWING) FROM numbers(4) ORDER BY number;
SELECT number, lag(number, 2, 77) OVER (ORDER BY number), lead(number, 2) OVER (ORDER BY number) FROM numbers(4) ORDER BY number;
SELECT number, first_value(number) OVER w, last_value(number) OVER w, nth_value(number, 2) OVER w FROM numbers(4) WINDOW w AS (ORDER BY number ROWS BETWEEN UNBOUNDED PRECEDING AND UNBOUNDED FOLLOWING) ORDER BY number;
SELECT toTypeName(row_number() OVER ()), toTypeName(rank() OVER (ORDER BY number)), toTypeName(lag(number) OVER (ORDER BY number)) FROM numbers(1);
SELECT k, v FROM (SELECT number % 3 AS k, number AS v, row_number() OVER (PARTITION BY k ORDER BY v DESC) AS r FROM numbers(12)) WHERE r <= 2 ORDER BY k, v;
-- error: ILLEGAL_AGGREGATION
SELECT number FROM numbers(3) WHERE row_number() OVER () = 1;
