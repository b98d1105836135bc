-- groupBitAnd, groupBitOr and groupBitXor of integers of more than 64 bits.
SELECT groupBitAnd(toInt128(n)) AS a, groupBitOr(toUInt128(n)) AS b, groupBitXor(toInt256(n)) AS c, groupBitOr(toUInt256(n)) AS d FROM (SELECT number + 5 AS n FROM numbers(10)) FORMAT TSVWithNamesAndTypes;
SELECT groupBitAnd(greatest(5000000000, -70000)) AS a FORMAT TSVWithNamesAndTypes;
SELECT groupBitAnd(toInt128(number)) AS a, groupBitAnd(toUInt128(number)) AS b, groupBitAnd(toInt256(number)) AS c, groupBitAnd(toUInt256(number)) AS d, groupBitOr(toInt128(number)) AS e FROM numbers(0);
SELECT number % 3 AS g, groupBitOr(bitShiftLeft(toUInt128(1), number * 20)) AS a, groupBitXor(-toInt256(number)) AS b FROM numbers(6) GROUP BY g ORDER BY g;
SELECT groupBitXor(toNullable(toInt128(number))) AS a, groupBitOrIf(toInt128(number), number > 5) AS b FROM numbers(9);
CREATE TABLE states (g UInt8, s AggregateFunction(groupBitOr, UInt128)) ENGINE = AggregatingMergeTree ORDER BY g;
INSERT INTO states SELECT number % 2, groupBitOrState(toUInt128(number)) FROM numbers(10) GROUP BY 1;
INSERT INTO states SELECT number % 2, groupBitOrState(bitShiftLeft(toUInt128(1), 100)) FROM numbers(10) GROUP BY 1;
SELECT g, groupBitOrMerge(s) FROM states GROUP BY g ORDER BY g;
SELECT hex(groupBitAndState(toInt128(-2))), hex(groupBitXorState(toUInt256(7)));
