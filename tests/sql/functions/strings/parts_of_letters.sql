SELECT startsWithUTF8('富强', '\xe5'), endsWithUTF8('富强', '\x90'), startsWithUTF8('富强', '富'), endsWithUTF8('富强', '强'), startsWith('富强', '\xe5'), startsWithUTF8('a', '');
SELECT initcapUTF8('ß straße ŉ ﬁn ǆ'), EXTRACT('Hello, world', '^\\w+'), EXTRACT(YEAR FROM toDate('2020-01-01'));
SELECT MACStringToOUI('01:02:03'), MACStringToOUI('01:02:03:04'), MACStringToOUI('01:02'), MACStringToNum('01:02:03:04:05:06:07');
SELECT bitXor(toFixedString('abc', 3), toFixedString('\x00\x01\x02', 3)), bitAnd(materialize(toFixedString('abc', 3)), toFixedString('abd', 3)), bitOr(toFixedString('abc', 3), toFixedString('abd', 3));
SELECT true::FixedString(5), [true, false]::Array(FixedString(5));
SELECT fromUnixTimestamp(10262736196, '%F %T', 'UTC'), fromUnixTimestamp(-5::Int64, '%F %T', 'UTC'), fromUnixTimestampInJodaSyntax(4294967296::UInt64, 'yyyy-MM-dd HH:mm:ss', 'UTC'), fromUnixTimestamp(5::UInt32, '%F %T', 'UTC');
SELECT parseDateTimeBestEffort('2017-01-02 03:04:05+300', 'UTC'), parseDateTimeBestEffort('2017-01-02 03:04:05+1', 'UTC'), parseDateTimeBestEffort('2017-01-02 03:04:05-1030', 'UTC');
CREATE TABLE d (x Decimal(9, 0), y Decimal(9, 2)) ENGINE = Memory;
-- error: ARGUMENT_OUT_OF_BOUND
INSERT INTO d VALUES (-1000000000, 1);
-- error: ARGUMENT_OUT_OF_BOUND
INSERT INTO d VALUES (1, 10000000);
INSERT INTO d VALUES (-999999999, 9999999);
SELECT * FROM d;
