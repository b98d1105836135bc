-- What is asked of aggregates daily: averages with arithmetic in them, funnels, states that go into tables, GROUPING, sums of maps.
CREATE TABLE events (id UInt32, user UInt64, t DateTime('UTC'), kind LowCardinality(String), ok Bool, x Int64, n Nullable(Int32), f Float32, price Decimal(10, 2)) ENGINE = MergeTree ORDER BY id;
INSERT INTO events SELECT number, number % 7, toDateTime('2024-03-01 00:00:00', 'UTC') + number * 61, ['a', 'b', 'c'][number % 3 + 1], number % 2, number * 3 - 100, if(number % 3 = 0, NULL, number % 11), toFloat32(number) / 3, toDecimal64(number / 4, 2) FROM numbers(100);
CREATE TABLE none AS events;

-- Arithmetic with a constant is done once.
SELECT avg(x * 3), avg(3 * x), avg(x - 0.1), avg(0.1 - x), avg(7 - x), avg(n / 3), avg(f / 3), avg(price * 3), avg(price + 1) FROM events;
SELECT sum(id / 1000), sum(n * 0.7), sum(f / 7), sum(f * 0.1), sum(price / 3), sum(price * 0.1), sum(x * 0.1) FROM events;
SELECT ok, sum(id / 1024 / 1024), sum(id * 8 / 1000), sum(id / pow(10, 3)), avg(id * 100 / 3), sum((id / 3)), sum(id / 3) / count() FROM events GROUP BY ok ORDER BY ok;
SELECT kind, avg(id / 7), sum(id / 1000) AS total FROM events GROUP BY kind WITH TOTALS HAVING avg(id / 7) > 1 ORDER BY sum(id / 1000) DESC, kind;
SELECT sum(id / 1000) FILTER (WHERE ok), sumIf(id / 3, id > 5), sum(DISTINCT id / 3) FROM events;
SELECT toTypeName(avg(x * 3)), toTypeName(sum(f * 3)), toTypeName(sum(price / 3)), toTypeName(sum(price * 0.1)), toTypeName(sum(n / 3)), toTypeName(sum(ok * 3)) FROM events;
SELECT sum(x / 0), avg(x / 0), sum(x * 0.1), avg(x + 1), sum(n / 3) FROM none;
WITH 1024 AS kb SELECT sum(id / kb), avg(id / kb) FROM events;

-- In the strict order of a funnel, a row that meets no condition ends the chain.
SELECT windowFunnel(100, 'strict_order')(t, y = 'a', y = 'b', y = 'c'), windowFunnel(100)(t, y = 'a', y = 'b', y = 'c') FROM VALUES('t UInt32, y String', (1, 'a'), (2, 'z'), (3, 'b'), (4, 'c'));
SELECT windowFunnel(100, 'strict_order')(t, y = 'a', y = 'b', y = 'c') FROM VALUES('t UInt32, y String', (0, 'z'), (1, 'a'), (2, 'b'), (2, 'z'), (4, 'c'));
SELECT windowFunnel(2, 'strict_order')(t, y = 'a', y = 'b') FROM VALUES('t UInt32, y String', (1, 'a'), (20, 'z'), (23, 'a'), (24, 'b'));
SELECT user, windowFunnel(3600, 'strict_order')(t, kind = 'a', kind = 'b', kind = 'c') FROM events GROUP BY user ORDER BY user;

-- GROUPING in any case of letters, and keys that are NULL where a set leaves them out.
SELECT GROUPING(ok), Grouping(ok), grouping(ok), count() FROM events GROUP BY GROUPING SETS ((ok), ()) ORDER BY 1, ok;
SELECT GROUPING(ok, kind) AS g, count() FROM events GROUP BY CUBE(ok, kind) HAVING GROUPING(ok) = 1 ORDER BY g, kind;
SELECT toTypeName(id), toTypeName(kind), toTypeName(id + 1), isNull(id), isNotNull(kind), id, kind, count() FROM events WHERE id < 2 GROUP BY CUBE(id, kind) ORDER BY ALL SETTINGS group_by_use_nulls = 1;
SELECT toTypeName(any(id)), isNull(kind), coalesce(kind, 'all'), max(kind), 'x' AS c FROM events WHERE id < 2 GROUP BY ROLLUP(kind) ORDER BY ALL SETTINGS group_by_use_nulls = 1;

-- States of conditions, Bools and LowCardinality go into columns of the types that they stand for.
CREATE TABLE states (k UInt8, a AggregateFunction(sumIf, Int64, UInt8), b AggregateFunction(argMax, String, DateTime('UTC')), c AggregateFunction(argMax, LowCardinality(String), DateTime), d AggregateFunction(uniq, LowCardinality(String)), e AggregateFunction(countIf, UInt8), f AggregateFunction(sum, UInt8), g AggregateFunction(groupArray, LowCardinality(String)), h AggregateFunction(sumMap, Map(LowCardinality(String), UInt64))) ENGINE = AggregatingMergeTree ORDER BY k;
INSERT INTO states SELECT 1, sumIfState(x, ok), argMaxState(kind, t), argMaxState(kind, t), uniqState(kind), countIfState(ok), sumState(ok), groupArrayState(kind), sumMapState(map(kind, toUInt64(1))) FROM events;
INSERT INTO states (k, a) SELECT 1, sumIfState(x, id > 5) FROM events;
INSERT INTO states (k, b, c, d) SELECT 2, argMaxState(toString(kind), t), argMaxState(toString(kind), t), uniqState(toString(kind)) FROM events;
INSERT INTO states (k, e) SELECT 2, countState() FROM events;
SELECT k, sumIfMerge(a), argMaxMerge(b), argMaxMerge(c), uniqMerge(d), countIfMerge(e), sumMerge(f), length(groupArrayMerge(g)), sumMapMerge(h) FROM states GROUP BY k ORDER BY k;
OPTIMIZE TABLE states FINAL;
SELECT k, finalizeAggregation(a), finalizeAggregation(c), finalizeAggregation(e), hex(f) FROM states ORDER BY k;
SELECT toTypeName(argMaxState(kind, t)), toTypeName(groupArrayState([kind])), toTypeName(argMaxState((kind, n), t)) FROM events;
SELECT toTypeName(sumMap(map(kind, 1))), toTypeName(groupArray((kind, n))), toTypeName(argMin((kind, n), id)), toTypeName(sumMapMerge(h)) FROM events, states;

-- States of another function are refused.
-- error: ILLEGAL_TYPE_OF_ARGUMENT
SELECT avgMerge(s) FROM (SELECT sumState(x) AS s FROM events);
-- error: ILLEGAL_TYPE_OF_ARGUMENT
SELECT uniqExactMerge(s) FROM (SELECT uniqState(x) AS s FROM events);
-- error: ILLEGAL_TYPE_OF_ARGUMENT
SELECT maxMerge(s) FROM (SELECT minState(x) AS s FROM events);
-- error: ILLEGAL_TYPE_OF_ARGUMENT
SELECT max(s) FROM (SELECT sumState(x) AS s FROM events);
-- error: ILLEGAL_TYPE_OF_ARGUMENT
SELECT argMax(1, s) FROM (SELECT sumState(x) AS s FROM events);
SELECT medianMerge(s), first_valueMerge(v) FROM (SELECT quantileState(x) AS s, anyState(x) AS v FROM events WHERE id = 3);

-- An aggregate taken apart.
SELECT untuple(argMax((kind, x), id)), untuple((min(id), max(id))) FROM events;
SELECT user, untuple(argMax((id, x), id)) AS last FROM events GROUP BY user ORDER BY user LIMIT 2;

-- NULL among the keys and values of sums by key, and of the keys of ranges.
SELECT sumMap([toNullable(1), NULL, 2], [1, 2, NULL]), toTypeName(sumMap([toNullable(1)], [1])), minMap([1, 2], [NULL::Nullable(Int32), 5]), maxMap([1, 2], [NULL::Nullable(Int32), 5]), sumMap([1, 2], [NULL::Nullable(Int32), 5], [1.5, NULL]);
SELECT sumMap(k, v), toTypeName(sumMap(k, v)) FROM VALUES('k Array(LowCardinality(String)), v Array(Nullable(UInt8))', (['b'], [1]), (['a', 'b'], [NULL, 255]));
SELECT sumMapFiltered([1, 2])([1, 2, 3], [NULL::Nullable(Int32), 5, 6]);
SELECT sumResample(0, 3, 1)(x, n), countResample(0, 4, 2)(n), avgResample(0, 4, 2)(n, n), sumResample(0, 4, 2)(x, toNullable(id)) FROM events;
-- error: ILLEGAL_TYPE_OF_ARGUMENT
SELECT sumResample(0, 3, 1)(x, f) FROM events;

-- Over no rows.
SELECT count(), sum(x) FROM none SETTINGS empty_result_for_aggregation_by_empty_set = 1;
SELECT sum(x), uniq(kind), uniqExact(kind), uniqUpTo(3)(kind), uniqIf(kind, ok), deltaSum(x), count(), countIf(ok), uniqCombined(kind) FROM none SETTINGS aggregate_functions_null_for_empty = 1;
SELECT quantilesOrNull(0.1, 0.5)(x), groupArrayOrNull(x), topKOrNull(2)(kind), retentionOrNull(ok, ok), sumMapOrNull(map(kind, 1)) FROM none;

-- Last digits of what lies between two values, and the order of a subquery.
SELECT quantileExactExclusive(0.1)(x), quantilesExactExclusive(0.05, 0.25, 0.999)(f), quantilesExactInclusive(0.05, 0.25, 0.333)(f), quantileExactInclusive(0.7)(x) FROM events;
SELECT deltaSum(x) FROM (SELECT x FROM events ORDER BY id DESC);
SELECT length(topK(70000)(id)) FROM events;
