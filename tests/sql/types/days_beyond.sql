-- Days and times beyond what Date and DateTime hold: a conversion that is written wraps around, and where values are brought to
-- a column's type or to one that they have in common they are at its end.
SELECT toDateTime(toDate32('1965-03-04'), 'UTC'), toDateTime(toDate32('2200-03-04'), 'UTC'), toDateTime(toDate('2149-06-06'), 'UTC'), toDateTime(toDate('2106-02-07'), 'UTC');
SELECT toDateTime(materialize(toDate32('1965-03-04')), 'UTC'), CAST(materialize(toDate('2149-06-06')) AS DateTime('UTC'));
SELECT CAST(toDate32('1965-03-04') AS DateTime('Asia/Kathmandu')), CAST(toDate32('1970-01-01') AS DateTime('Asia/Kathmandu')), toDate32('2106-02-07')::DateTime('America/New_York');
SELECT accurateCast(toDate32('1965-03-04'), 'DateTime(\'UTC\')'), accurateCastOrNull(toDate32('2200-03-04'), 'DateTime(\'UTC\')');
SELECT [toDate32('1965-01-01')]::Array(DateTime('UTC')), (toDate32('1965-01-01'), 1)::Tuple(DateTime('UTC'), UInt8), CAST(toNullable(toDate32('1965-01-01')) AS Nullable(DateTime('UTC')));
-- The first day of a Date begins before the first second in the east, and the first seconds are another day in the west.
SELECT CAST(toDate('1970-01-01') AS DateTime('Asia/Tokyo')), CAST(toDate('1970-01-01') AS DateTime('America/New_York'));
SELECT toDate(toDateTime(0, 'America/New_York')), toDate32(toDateTime(0, 'America/New_York')), toDate(materialize(toDateTime(3600, 'America/New_York')));
SELECT toDate(toDateTime64('1960-01-01 00:00:00', 3, 'UTC')), toDate(toDateTime64('2200-01-01 00:00:00', 3, 'UTC'));
SELECT toDate('2149-06-06') + INTERVAL 1 SECOND, toDate('2149-06-06') + INTERVAL 1 HOUR, addHours(toDate('2149-06-06'), 1), toDate('2149-06-06') + INTERVAL 1 DAY;
SELECT if(materialize(1), toDate('2149-06-06'), toDateTime('2020-01-01 00:00:00', 'UTC')), [toDate('2149-06-06'), toDateTime('2020-01-01 00:00:00', 'UTC')];
SELECT greatest(toDate('2106-02-07'), toDateTime('2020-01-01 00:00:00', 'UTC')), if(materialize(1), toDate32('1965-03-04'), toDateTime('2020-01-01 00:00:00', 'UTC'));
SELECT v FROM (SELECT toDate('2149-06-06') AS v UNION ALL SELECT toDateTime('2106-02-06 00:00:00', 'UTC')) ORDER BY v;
CREATE TABLE times (n UInt8, d Date, t DateTime('UTC')) ENGINE = MergeTree ORDER BY n;
INSERT INTO times SELECT 1, toDate32('1965-03-04'), toDate32('1965-03-04');
INSERT INTO times SELECT 2, toDate32('2200-03-04'), toDate('2149-06-06');
INSERT INTO times SELECT 3, toDateTime64('1965-03-04 00:00:00', 3, 'UTC'), toDateTime64('1965-03-04 00:00:00', 3, 'UTC');
INSERT INTO times SELECT 4, toDateTime64('2200-03-04 00:00:00', 3, 'UTC'), toDateTime64('2200-03-04 00:00:00', 3, 'UTC');
SELECT * FROM times ORDER BY n;
CREATE TABLE wide (n UInt8, d Date32, t Date32) ENGINE = MergeTree ORDER BY n;
INSERT INTO wide VALUES (1, '1965-01-01', '1965-01-01'), (2, '2200-01-01', '2200-01-01'), (3, '2120-01-01', '2120-01-01');
ALTER TABLE wide MODIFY COLUMN d Date;
ALTER TABLE wide MODIFY COLUMN t DateTime('UTC');
SELECT * FROM wide ORDER BY n;
CREATE TABLE defaults (n UInt8, d Date DEFAULT toDate32('1965-01-01'), t DateTime('UTC') DEFAULT toDate32('2200-01-01')) ENGINE = Memory;
INSERT INTO defaults (n) VALUES (1);
SELECT * FROM defaults;
