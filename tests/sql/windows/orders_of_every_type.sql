SELECT number, row_number() OVER (ORDER BY toString(number)) FROM numbers(3);
SELECT number, sum(number) OVER (ORDER BY toString(number%2)) FROM numbers(4) ORDER BY number;
SELECT number, sum(number) OVER (ORDER BY [number%2]) FROM numbers(4) ORDER BY number;
SELECT number, sum(number) OVER (ORDER BY (number%2,1)) FROM numbers(4) ORDER BY number;
SELECT number, sum(number) OVER (ORDER BY toUUID('00000000-0000-0001-0000-00000000000'||toString(number%2))) FROM numbers(4) ORDER BY number;
SELECT number, sum(number) OVER (ORDER BY toFixedString(toString(number%2),3)) FROM numbers(4) ORDER BY number;
SELECT number, sum(number) OVER (ORDER BY toDecimal256(number%2,3)) FROM numbers(4) ORDER BY number;
SELECT number, sum(number) OVER (ORDER BY toDecimal32(number%2,3)) FROM numbers(4) ORDER BY number;
SELECT number, sum(number) OVER (ORDER BY toInt256(number%2)) FROM numbers(4) ORDER BY number;
SELECT number, sum(number) OVER (ORDER BY nullIf(number%2,0)) FROM numbers(4) ORDER BY number;
SELECT number, sum(number) OVER (ORDER BY nullIf(toString(number%2),'0')) FROM numbers(4) ORDER BY number;
SELECT number, sum(number) OVER (ORDER BY toLowCardinality(toString(number%2))) FROM numbers(4) ORDER BY number;
SELECT number, sum(number) OVER (ORDER BY toDateTime64(number%2,3)) FROM numbers(4) ORDER BY number;
SELECT number, sum(number) OVER (ORDER BY toDateTime(number%2)) FROM numbers(4) ORDER BY number;
SELECT number, sum(number) OVER (ORDER BY toDate(number%2)) FROM numbers(4) ORDER BY number;
SELECT number, sum(number) OVER (ORDER BY toDate32(number%2)) FROM numbers(4) ORDER BY number;
SELECT number, sum(number) OVER (ORDER BY toIPv4('1.2.3.'||toString(number%2))) FROM numbers(4) ORDER BY number;
SELECT number, sum(number) OVER (ORDER BY toIPv6('::'||toString(number%2))) FROM numbers(4) ORDER BY number;
SELECT number, sum(number) OVER (ORDER BY number%2=0) FROM numbers(4) ORDER BY number;
SELECT number, sum(number) OVER (ORDER BY (number%2=0)::Bool) FROM numbers(4) ORDER BY number;
SELECT number, sum(number) OVER (ORDER BY map(1,number%2)) FROM numbers(4) ORDER BY number;
SELECT number, sum(number) OVER (ORDER BY toString(number%2), number) FROM numbers(4) ORDER BY number;
SELECT number, sum(number) OVER (ORDER BY CAST('a','Enum8(\'a\'=1)')) FROM numbers(4) ORDER BY number;
SELECT number, rank() OVER (ORDER BY toString(number%2)), dense_rank() OVER (ORDER BY toString(number%2)), lagInFrame(number) OVER (ORDER BY toString(number%2)), first_value(number) OVER (ORDER BY toString(number%2) DESC), last_value(number) OVER (ORDER BY toString(number%2)) FROM numbers(4) ORDER BY number;
SELECT number, rank() OVER (ORDER BY toString(number%2) RANGE BETWEEN UNBOUNDED PRECEDING AND UNBOUNDED FOLLOWING), sum(number) OVER (ORDER BY toString(number%2) RANGE BETWEEN CURRENT ROW AND UNBOUNDED FOLLOWING), sum(number) OVER (ORDER BY toString(number%2) RANGE BETWEEN CURRENT ROW AND CURRENT ROW) FROM numbers(4) ORDER BY number;
SELECT number, sum(number) OVER (ORDER BY number::Float64 % 2) FROM numbers(4) ORDER BY number;
CREATE TABLE t (k UInt32, s String, l LowCardinality(Nullable(String)), a Array(String), u UUID, d Decimal(50, 3), t DateTime64(5)) ENGINE = MergeTree ORDER BY s;
INSERT INTO t SELECT number, toString(intDiv(number * 7919 % 100000, 7)), nullIf(toString(number % 3), '0'), [toString(number % 5)], toUUID('00000000-0000-0000-0000-00000000000' || toString(number % 4)), number % 6, number % 8 FROM numbers(100000);
SELECT sum(c * k % 1000), max(r), max(d) FROM (SELECT k, count() OVER (ORDER BY s) AS c, rank() OVER (ORDER BY s) AS r, dense_rank() OVER (ORDER BY s) AS d FROM t);
SELECT DISTINCT s, r FROM (SELECT s, rank() OVER (ORDER BY s) AS r FROM t) ORDER BY r LIMIT 5;
SELECT sum(m), sum(f) FROM (SELECT max(k) OVER (PARTITION BY a ORDER BY s RANGE BETWEEN CURRENT ROW AND UNBOUNDED FOLLOWING) AS m, count() OVER (PARTITION BY u ORDER BY s RANGE BETWEEN CURRENT ROW AND CURRENT ROW) AS f FROM t);
SELECT DISTINCT l, count() OVER (ORDER BY l) FROM t ORDER BY ALL;
SELECT DISTINCT l, count() OVER (ORDER BY l DESC NULLS FIRST) FROM t ORDER BY ALL;
SELECT DISTINCT a, count() OVER (ORDER BY a DESC) FROM t ORDER BY ALL;
SELECT DISTINCT d, t, count() OVER (ORDER BY d, t DESC) FROM t ORDER BY ALL;
SELECT DISTINCT u, count() OVER (PARTITION BY d ORDER BY u) FROM t ORDER BY ALL LIMIT 4;
SELECT number, sum(number) OVER (RANGE BETWEEN UNBOUNDED PRECEDING AND CURRENT ROW), sum(number) OVER (RANGE BETWEEN CURRENT ROW AND CURRENT ROW) FROM numbers(3);
-- error: NOT_IMPLEMENTED
SELECT number, sum(number) OVER (ORDER BY toString(number) RANGE BETWEEN 1 PRECEDING AND CURRENT ROW) FROM numbers(3);
-- error: BAD_ARGUMENTS
SELECT number, sum(number) OVER (ORDER BY toString(number), number RANGE BETWEEN 1 PRECEDING AND CURRENT ROW) FROM numbers(3);
-- error: BAD_ARGUMENTS
SELECT number, sum(number) OVER (ORDER BY number, number RANGE BETWEEN 1 PRECEDING AND CURRENT ROW) FROM numbers(3);
-- error: BAD_ARGUMENTS
SELECT number, sum(number) OVER (RANGE BETWEEN 1 PRECEDING AND CURRENT ROW) FROM numbers(3);
-- error: NOT_IMPLEMENTED
SELECT number, sum(number) OVER (ORDER BY [number] RANGE BETWEEN 1 PRECEDING AND CURRENT ROW) FROM numbers(3);
