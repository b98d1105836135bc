-- What all arrays have fits the narrowest of their types, be the others wide.
SELECT arrayIntersect([toInt128(1), 2], [toUInt8(1)]) AS a, arrayIntersect([toInt256(1)], [toInt64(1), 2]) AS b, arrayIntersect([toUInt128(1)], [toUInt64(1)]) AS c, arrayIntersect([toNullable(toInt128(1))], range(0)) AS d FORMAT TSVWithNamesAndTypes;
SELECT arrayIntersect([toInt128(number), NULL], [toNullable(toUInt8(1)), NULL]) AS a FROM numbers(2) FORMAT TSVWithNamesAndTypes;
SELECT arraySort(arrayIntersect([toInt32(number), 1000], [toUInt8(1), 0])) AS a FROM numbers(3) FORMAT TSVWithNamesAndTypes;
