-- A Date column does not take days of a file that it has no value for.
INSERT INTO FUNCTION file('days.parquet') SELECT toDate32('1960-01-01') AS d, [toDate32('2200-01-01')] AS n;
INSERT INTO FUNCTION file('days.orc') SELECT toDate32('1960-01-01') AS d, [toDate32('2200-01-01')] AS n;
INSERT INTO FUNCTION file('days.arrow') SELECT toDate32('1960-01-01') AS d, [toDate32('2200-01-01')] AS n;
INSERT INTO FUNCTION file('days.avro') SELECT toDate32('1960-01-01') AS d, [toDate32('2200-01-01')] AS n;
SELECT * FROM file('days.parquet');
-- error: VALUE_IS_OUT_OF_RANGE_OF_DATA_TYPE
SELECT * FROM file('days.parquet', Parquet, 'd Date');
-- error: VALUE_IS_OUT_OF_RANGE_OF_DATA_TYPE
SELECT * FROM file('days.parquet', Parquet, 'd Nullable(Date)');
-- error: VALUE_IS_OUT_OF_RANGE_OF_DATA_TYPE
SELECT * FROM file('days.parquet', Parquet, 'n Array(Date)');
-- error: VALUE_IS_OUT_OF_RANGE_OF_DATA_TYPE
SELECT * FROM file('days.orc', ORC, 'd Date');
-- error: VALUE_IS_OUT_OF_RANGE_OF_DATA_TYPE
SELECT * FROM file('days.arrow', Arrow, 'd Date');
-- error: VALUE_IS_OUT_OF_RANGE_OF_DATA_TYPE
SELECT * FROM file('days.avro', Avro, 'd Date');
CREATE TABLE t (d Date) ENGINE = Memory;
-- error: VALUE_IS_OUT_OF_RANGE_OF_DATA_TYPE
INSERT INTO t SELECT * FROM file('days.parquet', Parquet, 'd Date');
-- error: VALUE_IS_OUT_OF_RANGE_OF_DATA_TYPE
INSERT INTO t FROM INFILE 'days.parquet';
SELECT count() FROM t;
SET date_time_overflow_behavior = 'saturate';
SELECT * FROM file('days.parquet', Parquet, 'd Date, n Array(Date)');
SELECT * FROM file('days.orc', ORC, 'd Date, n Array(Date)');
SELECT * FROM file('days.arrow', Arrow, 'd Date, n Array(Date)');
SELECT * FROM file('days.avro', Avro, 'd Date');
-- Conversions that are asked for.
SELECT toDate(toDate32('2200-01-01')), toDateTime(toDate32('1960-01-01'), 'UTC'), toDate(toDateTime64('2300-01-01 00:00:00', 0, 'UTC')), toDateTime(toDateTime64('2200-01-01 00:00:00', 3, 'UTC'), 'UTC');
SET date_time_overflow_behavior = 'throw';
-- error: VALUE_IS_OUT_OF_RANGE_OF_DATA_TYPE
SELECT toDate(toDate32('2200-01-01'));
-- error: VALUE_IS_OUT_OF_RANGE_OF_DATA_TYPE
SELECT toDateTime(toDate32('1960-01-01'), 'UTC');
-- error: VALUE_IS_OUT_OF_RANGE_OF_DATA_TYPE
SELECT toDate(toDateTime64('2200-01-01 00:00:00', 3, 'UTC'));
-- error: VALUE_IS_OUT_OF_RANGE_OF_DATA_TYPE
SELECT toDateTime(toDateTime64('2200-01-01 00:00:00', 3, 'UTC'), 'UTC');
SELECT toDate(toDate32('2100-01-01')), toDateTime(toDateTime64('2100-01-01 00:00:00', 3, 'UTC'), 'UTC');
SET date_time_overflow_behavior = 'ignore';
SELECT toDate(toDate32('2200-01-01')), toDateTime(toDate32('1960-01-01'), 'UTC');
