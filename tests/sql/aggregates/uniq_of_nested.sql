-- Estimates and states of arrays of texts, of tuples and of maps.
SELECT uniq([toString(number), 'a']), uniqCombined([toString(number), 'a']), uniqCombined64([toString(number), 'a']), uniqHLL12([toString(number), 'a']), uniqExact([toString(number), 'a']) FROM numbers(200000);
SELECT uniq(map(number, toString(number))), uniqCombined(map(number, toString(number))), uniqHLL12(map(number, toString(number))), uniqExact(map(number, toString(number))) FROM numbers(200000);
SELECT uniq([(number, 'x')]), uniq((number, (number, [number]))), uniq((number, toString(number))), uniqCombined((number, toString(number))), uniqHLL12((number, toString(number))) FROM numbers(200000);
SELECT uniqCombined(number, [toString(number)]), uniqHLL12(number, [toString(number)]), uniqCombined([toNullable(toString(number))]), uniq([toLowCardinality(toString(number))]), uniq([toFixedString(toString(number), 8)]) FROM numbers(200000);
SELECT uniq([number, number * 7]), uniqCombined([number, number * 7]), uniqHLL12([number, number * 7]), uniq([[number], [1, 2]]), uniqCombined([toNullable(number)]) FROM numbers(200000);
SELECT hex(uniqState(['a'])), hex(uniqState([['a']])), hex(uniqState((['a'], 1))), hex(uniqState(map('a', 'b'))), hex(uniqState([(1, 'a')])), hex(uniqState([toNullable('a'), NULL])), hex(uniqState([toLowCardinality('a')]));
SELECT hex(uniqCombinedState(['a'])), hex(uniqHLL12State(['a'])), hex(uniqState('a', ['b'])), hex(uniqState(('a', ('b', ['c']))));
