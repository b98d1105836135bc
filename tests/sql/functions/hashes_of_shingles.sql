SELECT ngramSimHash('ClickHouse'), ngramSimHashCaseInsensitive('ClickHouse'), ngramSimHashUTF8('ClickHouse'), ngramSimHashCaseInsensitiveUTF8('ClickHouse'), ngramSimHash(''), ngramSimHash('ab'), ngramSimHashUTF8('приветы мира'), ngramSimHashUTF8('при'), ngramSimHash('ClickHouse', 5);
SELECT ngramMinHash('ClickHouse'), ngramMinHashCaseInsensitive('ClickHouse'), ngramMinHashUTF8('ClickHouse'), ngramMinHashCaseInsensitiveUTF8('КликХаус и ещё'), ngramMinHash('ClickHouse', 2, 3), ngramMinHash(''), ngramMinHashUTF8('abc');
SELECT ngramMinHashArg('ClickHouse', 1, 3), ngramMinHashArgCaseInsensitive('ClickHouse', 2, 2), ngramMinHashArgUTF8('приветы', 2, 3), ngramMinHashArgCaseInsensitiveUTF8('Click', 4, 2), toTypeName(ngramMinHashArg('a', 1, 2)), toTypeName(ngramMinHash('a'));
SELECT wordShingleSimHash('ClickHouse® is a column-oriented database management system (DBMS) for online analytical processing of queries (OLAP).'), wordShingleSimHashCaseInsensitive('ClickHouse® is a column-oriented database'), wordShingleSimHashUTF8('one three four'), wordShingleSimHashCaseInsensitiveUTF8('Привет всем словам тут'), wordShingleSimHash(''), wordShingleSimHash('a b c');
SELECT wordShingleMinHash('one two three four five six seven eight nine ten'), wordShingleMinHash(''), wordShingleMinHashArg('one two three four five six seven eight nine ten', 2, 2), wordShingleMinHash('abcd efgh'), wordShingleMinHashCaseInsensitive('Three FOUR Seven'), wordShingleMinHashUTF8('Three FOUR Seven'), wordShingleMinHashCaseInsensitiveUTF8('Three FOUR Seven'), wordShingleMinHashArgCaseInsensitive('Three FOUR Seven', 1, 2), wordShingleMinHashArgUTF8('Three FOUR Seven', 1, 2), wordShingleMinHashArgCaseInsensitiveUTF8('Three FOUR Seven', 1, 2);
SELECT ngramSimHash(toString(number * 7919)), ngramMinHash(toString(number * 7919), 2, 2), wordShingleSimHash(concat('word', toString(number), ' and more words'), 2) FROM numbers(5);
-- error: ARGUMENT_OUT_OF_BOUND
SELECT ngramSimHash('a', 0);
-- error: ARGUMENT_OUT_OF_BOUND
SELECT ngramSimHash('a', 26);
-- error: ARGUMENT_OUT_OF_BOUND
SELECT ngramMinHash('a', 3, 26);
-- error: TOO_MANY_ARGUMENTS_FOR_FUNCTION
SELECT ngramSimHash('a', 3, 3);
-- error: ILLEGAL_TYPE_OF_ARGUMENT
SELECT ngramSimHash(1);
-- error: ILLEGAL_TYPE_OF_ARGUMENT
SELECT ngramSimHash('a', materialize(3));
-- error: ILLEGAL_TYPE_OF_ARGUMENT
SELECT ngramMinHash('a', -1);
