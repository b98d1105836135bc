-- Values of fixed width behind a condition that is not the same twice.
SELECT if(rand() % 2 = 3, toIPv6('::1'), NULL) AS x, toTypeName(x);
SELECT if(rand() % 2 < 3, toUUID('61f0c404-5cb3-11e7-907b-a6006ad3dba0'), NULL), if(rand() % 2 < 3, NULL, toFixedString('a', 2)) FROM numbers(2);
SELECT multiIf(materialize(0), toIPv6('::1'), materialize(1), toIPv6('::2'), NULL), if(materialize(1), toFixedString('a', 2), NULL) AS x, toTypeName(x);
SELECT if(materialize(toNullable(1)), toFixedString('a', 2), 'bcd'), if(materialize(toNullable(0)), toFixedString('a', 2), NULL);
-- Elements of a tuple that have no names are called by their numbers.
SELECT tupleElement((1, 'a'), '2'), tupleElement([(1, 'a')], '1'), tupleElement((1, NULL), '1', 'other'), tupleElement((1, 2), '3', 'other');
