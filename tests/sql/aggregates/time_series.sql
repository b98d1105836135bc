-- settings: enable_time_series_aggregate_functions=1
CREATE TABLE ts (t DateTime('UTC'), v Float64) ENGINE = Memory;
INSERT INTO ts SELECT 100 + number * 7, (number * number) % 13 FROM numbers(30);
SELECT timeSeriesDeltaToGrid(100, 300, 20, 45)(t, v), timeSeriesIncreaseToGrid(100, 300, 20, 45)(t, v) FROM ts;
SELECT timeSeriesRateToGrid(100, 300, 20, 45)(t, v) FROM ts;
SELECT timeSeriesInstantDeltaToGrid(100, 300, 20, 45)(t, v), timeSeriesInstantRateToGrid(100, 300, 20, 45)(t, v) FROM ts;
SELECT timeSeriesResampleToGridWithStaleness(100, 300, 20, 45)(t, v), timeSeriesLastToGrid(100, 300, 10, 0)(t, v), timeSeriesLastToGrid(90, 310, 7, 7)(t, v) FROM ts;
SELECT timeSeriesDerivToGrid(100, 300, 20, 45)(t, v) FROM ts;
SELECT timeSeriesPredictLinearToGrid(100, 300, 20, 45, 60)(t, v) FROM ts;
SELECT timeSeriesChangesToGrid(100, 300, 20, 45)(t, v), timeSeriesResetsToGrid(100, 300, 20, 45)(t, v) FROM ts;
SELECT timeSeriesSumToGrid(100, 300, 20, 45)(t, v), timeSeriesAvgToGrid(100, 300, 20, 45)(t, v), timeSeriesCountToGrid(100, 300, 20, 45)(t, v) FROM ts;
SELECT arraySum(arrayMap(x -> assumeNotNull(x), timeSeriesSumToGrid(100, 300, 1, 45)(t, v))), round(arraySum(arrayMap(x -> assumeNotNull(x), timeSeriesDerivToGrid(110, 300, 1, 45)(t, v))), 9) FROM ts;
SELECT timeSeriesMinToGrid(100, 300, 20, 45)(t, v), timeSeriesMaxToGrid(100, 300, 20, 45)(t, v) FROM ts;
SELECT timeSeriesTimestampOfMinToGrid(100, 300, 20, 45)(t, v), timeSeriesTimestampOfMaxToGrid(100, 300, 20, 45)(t, v) FROM ts;
SELECT timeSeriesGroupArray(t, v), timeSeriesLastTwoSamples(t, v) FROM ts WHERE v < 3;
SELECT toTypeName(timeSeriesDeltaToGrid(100, 300, 20, 45)(t, v)), toTypeName(timeSeriesDeltaToGrid(100, 300, 20, 45)(t, v::Float32)), toTypeName(timeSeriesSumToGrid(100, 300, 20, 45)(t, v::Float32)), toTypeName(timeSeriesTimestampOfMinToGrid(100, 300, 20, 45)(t, v::Float32)), toTypeName(timeSeriesGroupArray(t, v)), toTypeName(timeSeriesLastTwoSamples(t, v::Float32)) FROM ts;
SELECT timeSeriesDeltaToGrid(100, 300, 20, 45)(t, v::Float32), timeSeriesCountToGrid(100, 300, 20, 45)(t, v::Float32) FROM ts;
SELECT timeSeriesDeltaToGrid(100, 160, 20, 45)(t, v), timeSeriesGroupArray(t, v), timeSeriesLastTwoSamples(t, v) FROM ts WHERE v > 100;
SELECT timeSeriesDeltaToGrid(100, 100, 0, 45)(t, v), timeSeriesCountToGrid(130, 135, 10, 45)(t, v) FROM ts;
SELECT timeSeriesDeltaToGrid(100, 300, 20, 45)(t::UInt32, v), timeSeriesDeltaToGrid(toDateTime(100), toDateTime(300), 20, 45)(t, v), timeSeriesDeltaToGrid('100', '300', '20', '45')(t, v) FROM ts;
SELECT timeSeriesRateToGrid(100, 300, 20, 45)(t::DateTime64(3, 'UTC'), v) FROM ts;
SELECT timeSeriesRateToGrid(100.5, 300.25, 20.5, 45.1)(t::DateTime64(3, 'UTC'), v) FROM ts;
SELECT timeSeriesRateToGrid('100.5', '1970-01-01 00:05:00', '20s', '1m')(t::DateTime64(3, 'UTC'), v) FROM ts;
SELECT timeSeriesDerivToGrid(100, 300, 20, 45)(t::DateTime64(3, 'UTC'), v) FROM ts;
SELECT timeSeriesPredictLinearToGrid(100, 300, 20, 45, 60)(t::DateTime64(3, 'UTC'), v) FROM ts;
SELECT timeSeriesInstantRateToGrid(100, 300, 20, 45)(t::DateTime64(3, 'UTC'), v), timeSeriesTimestampOfMaxToGrid(100, 300, 20, 45)(t::DateTime64(3, 'UTC'), v) FROM ts;
SELECT timeSeriesDeltaToGrid(100, 300, 20, 45)(ta, va), timeSeriesGroupArray(ta, va) FROM (SELECT groupArray(t) AS ta, groupArray(v) AS va FROM ts);
SELECT timeSeriesDeltaToGrid(100, 300, 20, 45)(s), timeSeriesGroupArray(s) FROM (SELECT groupArray((t, v)) AS s FROM ts);
SELECT timeSeriesDeltaToGridIf(100, 300, 20, 45)(t, v, v < 8), timeSeriesDeltaToGrid(100, 300, 20, 45)(t, toNullable(v)) FROM ts;
SELECT toUInt32(t) % 2 AS k, timeSeriesSumToGrid(100, 200, 20, 45)(t, v) FROM ts GROUP BY k ORDER BY k;
SELECT timeSeriesMinToGrid(100, 200, 20, 45)(t, x), timeSeriesTimestampOfMinToGrid(100, 200, 20, 45)(t, x), timeSeriesChangesToGrid(100, 200, 20, 45)(t, x) FROM (SELECT t, if(v < 5, nan, v) AS x FROM ts);
SELECT timeSeriesGroupArray(t, x) FROM (SELECT arrayJoin([1, 2, 1, 1])::DateTime('UTC') AS t, arrayJoin([1., nan, 7.]) AS x);
SELECT timeSeriesDeltaToGridMerge(100, 300, 20, 45)(s) FROM (SELECT timeSeriesDeltaToGridState(100, 300, 20, 45)(t, v) AS s FROM ts GROUP BY toUInt32(t) % 3);
SELECT timeSeriesGroupArrayMerge(s) FROM (SELECT timeSeriesGroupArrayState(t, v) AS s FROM ts WHERE v < 3 GROUP BY toUInt32(t) % 3);
-- error: BAD_ARGUMENTS
SELECT timeSeriesDeltaToGrid(100, 300, 0, 45)(t, v) FROM ts;
-- error: BAD_ARGUMENTS
SELECT timeSeriesDeltaToGrid(300, 100, 10, 45)(t, v) FROM ts;
-- error: NUMBER_OF_ARGUMENTS_DOESNT_MATCH
SELECT timeSeriesDeltaToGrid(100, 300, 10)(t, v) FROM ts;
-- error: ILLEGAL_TYPE_OF_ARGUMENT
SELECT timeSeriesDeltaToGrid(100, 300, 10, -1)(t, v) FROM ts;
-- error: ILLEGAL_TYPE_OF_ARGUMENT
SELECT timeSeriesDeltaToGrid(100.5, 300, 20, 45)(t, v) FROM ts;
-- error: BAD_ARGUMENTS
SELECT timeSeriesDeltaToGrid(100, 300000000000, 1, 10)(t, v) FROM ts;
-- error: ILLEGAL_TYPE_OF_ARGUMENT
SELECT timeSeriesDeltaToGrid(100, 300, 20, 10)(t, 1) FROM ts;
-- error: ILLEGAL_TYPE_OF_ARGUMENT
SELECT timeSeriesDeltaToGrid(100, 300, 20, 10)('a', v) FROM ts;
-- error: ILLEGAL_TYPE_OF_ARGUMENT
SELECT timeSeriesDeltaToGrid(100, 300, 20, 10)(t) FROM ts;
-- error: ILLEGAL_TYPE_OF_ARGUMENT
SELECT timeSeriesDeltaToGrid(100, 300, 20, 45)(t::UInt64, v) FROM ts;
-- error: BAD_ARGUMENTS
SELECT timeSeriesDeltaToGrid(100, 300, 20, 45)(ta, va) FROM (SELECT groupArray(t) AS ta, [1.] AS va FROM ts);
-- error: ILLEGAL_TYPE_OF_ARGUMENT
SELECT timeSeriesGroupArray(t, v::UInt8) FROM ts;
-- error: NUMBER_OF_ARGUMENTS_DOESNT_MATCH
SELECT timeSeriesLastTwoSamples(s) FROM (SELECT groupArray((t, v)) AS s FROM ts);
CREATE TABLE series (key UInt64, values Array(Nullable(Float64))) ENGINE = Memory;
INSERT INTO series VALUES (1, [10, 1, NULL]), (2, [20, 2, 2]), (3, [30, NULL, 1]);
SELECT timeSeriesTopKMasks(2, key, values), timeSeriesBottomKMasks(2, key, values), timeSeriesLimitKMasks(2, key, toUInt64(key * 7 % 5), values), toTypeName(timeSeriesTopKMasks(2, key, values)) FROM series;
SELECT timeSeriesTopKMasks([1, 2, 0], key, values), timeSeriesTopKMasks(0, key, values), timeSeriesTopKMasks(9, key, [nan, 1.]) FROM series;
SELECT timeSeriesTopKMasks(1, key, values) FROM series WHERE key > 9;
SELECT timeSeriesTopKMasksMerge(s) FROM (SELECT timeSeriesTopKMasksState(2, key, values) AS s FROM series GROUP BY key);
-- error: BAD_ARGUMENTS
SELECT timeSeriesTopKMasks(key, key, values) FROM series;
-- error: BAD_ARGUMENTS
SELECT timeSeriesTopKMasks([1, 2], key, values) FROM series;
-- error: BAD_ARGUMENTS
SELECT timeSeriesTopKMasks(2, key, arrayResize(values, key)) FROM series;
-- error: NUMBER_OF_ARGUMENTS_DOESNT_MATCH
SELECT timeSeriesTopKMasks(1, key) FROM series;
-- error: ILLEGAL_TYPE_OF_ARGUMENT
SELECT timeSeriesTopKMasks(1, key, [1]) FROM series;
-- error: ILLEGAL_TYPE_OF_ARGUMENT
SELECT timeSeriesTopKMasks('1', key, values) FROM series;
