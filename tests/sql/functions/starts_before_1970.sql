-- The start of an interval goes by whole seconds, which are cut off towards zero.
SELECT date_trunc('month', toDateTime64('1969-12-31 23:59:59.001', 3, 'UTC')), date_trunc('year', toDateTime64('1969-12-31 23:59:59.001', 3, 'UTC')), date_trunc('quarter', toDateTime64('1969-12-31 23:59:59.001', 3, 'UTC')), date_trunc('week', toDateTime64('1969-12-31 23:59:59.001', 3, 'UTC'));
SELECT date_trunc('day', toDateTime64('1969-12-31 23:59:59.001', 3, 'UTC')), date_trunc('hour', toDateTime64('1969-12-31 23:59:59.001', 3, 'UTC'));
SELECT date_trunc('month', toDateTime64('1961-02-28 23:59:59.001', 3, 'UTC')), date_trunc('month', toDateTime64('1961-02-28 23:59:59.000', 3, 'UTC')), date_trunc('month', toDateTime64('1961-03-01 00:00:00.001', 3, 'UTC'));
SELECT date_trunc('month', toDateTime64('1969-12-31 23:59:59.001', 3, 'UTC') + toIntervalSecond(number)) FROM numbers(2);
