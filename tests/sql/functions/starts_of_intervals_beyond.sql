-- The start of an interval of Date32 wraps around where a Date does not hold it; of other types it is at the end.
SELECT toStartOfInterval(toDate32('1965-03-04'), INTERVAL 1 WEEK), toStartOfInterval(toDate32('1965-03-04'), INTERVAL 1 MONTH), toStartOfInterval(toDate32('1965-03-04'), INTERVAL 1 YEAR), toStartOfInterval(toDate32('1965-03-04'), INTERVAL 5 DAY);
SELECT toStartOfInterval(toDate32('1970-01-01'), INTERVAL 1 WEEK), toStartOfInterval(toDate('1970-01-01'), INTERVAL 1 WEEK), toStartOfInterval(toDateTime('1970-01-01 00:00:00', 'UTC'), INTERVAL 1 WEEK), toStartOfInterval(toDateTime64('1970-01-01 00:00:00', 3, 'UTC'), INTERVAL 1 WEEK);
SELECT toStartOfInterval(toDate32('2200-03-04'), INTERVAL 1 WEEK), toStartOfInterval(toDate32('2200-03-04'), INTERVAL 1 QUARTER), toStartOfInterval(toDate32('2200-03-04'), INTERVAL 1 DAY);
SELECT toStartOfInterval(toDate32('1900-01-01'), INTERVAL 50 YEAR), toStartOfInterval(toDate32('1970-01-01'), INTERVAL 50 YEAR), toStartOfInterval(toDate('1970-01-01'), INTERVAL 50 YEAR);
SELECT toStartOfInterval(toDate('2149-06-06'), INTERVAL 1 DAY), toStartOfInterval(toDate32('1960-01-01'), INTERVAL 1 DAY, 'Asia/Tokyo');
SELECT toStartOfInterval(toDateTime64('1965-03-04 00:00:00', 3, 'UTC'), INTERVAL 1 MONTH), date_trunc('week', toDate32('1965-01-01')), date_trunc('week', toDate('1970-01-01'));
SELECT addDays(toStartOfInterval(toNullable(toDate32('1970-01-01')), INTERVAL 1 WEEK), 3), toYear(toStartOfInterval(toDate32('1970-01-01'), INTERVAL 1 WEEK));
