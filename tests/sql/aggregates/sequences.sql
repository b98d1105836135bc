-- settings: allow_experimental_funnel_functions=1
SELECT sequenceMatchEvents('(?1)(?2)')(toDateTime(number), number = 1, number = 2), toTypeName(sequenceMatchEvents('(?1)(?2)')(toDateTime(number), number = 1, number = 2)) FROM numbers(5);
SELECT sequenceMatchEvents('(?1).*(?2)')(number, number = 1, number = 3), sequenceMatchEvents('(?1)(?t<=2)(?2)')(number, number % 4 = 1, number % 4 = 3) FROM numbers(20);
SELECT sequenceMatchEvents('(?1)(?t>=2)(?2)(?3)')(number, number % 4 = 1, number % 4 = 3, number % 5 = 0) FROM numbers(20);
SELECT sequenceMatchEvents('(?1).*(?2).*(?1)')(toDate(number), number % 4 = 1, number % 4 = 3) FROM numbers(20);
SELECT sequenceMatchEvents('(?3)(?1)(?2)')(toUInt8(number), number % 3 = 0, number % 3 = 1, number % 3 = 2) FROM numbers(20);
SELECT sequenceMatchEvents('(?1).(?2)')(toUInt8(number), number % 3 = 0, number % 3 = 1, number % 3 = 2) FROM numbers(20);
SELECT sequenceMatchEvents('(?1)(?2)(?3)')(toUInt8(number), number % 3 = 0, number % 3 = 1, number = 77), sequenceMatchEvents('(?1).*(?2)(?3)')(toUInt8(number), number % 3 = 0, number % 3 = 1, number = 8) FROM numbers(20);
SELECT sequenceMatchEvents('(?1)(?2)')(number, number = 1, number = 2) FROM numbers(0);
-- error: BAD_ARGUMENTS
SELECT sequenceMatchEvents('(?1)(?9)')(number, number = 1, number = 2) FROM numbers(3);
CREATE TABLE visits (t DateTime, who UInt8, page String) ENGINE = Memory;
INSERT INTO visits VALUES (1, 1, 'home'), (2, 1, 'gift'), (3, 1, 'basket'), (4, 1, 'exit'), (1, 2, 'home'), (2, 2, 'home'), (3, 2, 'gift'), (4, 2, 'basket'), (1, 3, 'gift'), (2, 3, 'home'), (3, 3, 'gift'), (4, 3, 'basket');
SELECT who, sequenceNextNode('forward', 'head')(t, page, page = 'home', page = 'home', page = 'gift') AS next FROM visits GROUP BY who ORDER BY who;
SELECT who, sequenceNextNode('backward', 'tail')(t, page, page = 'basket', page = 'basket', page = 'gift') AS next FROM visits GROUP BY who ORDER BY who;
SELECT who, sequenceNextNode('forward', 'first_match')(t, page, page = 'gift', page = 'gift') AS next FROM visits GROUP BY who ORDER BY who;
SELECT who, sequenceNextNode('backward', 'last_match')(t, page, page = 'gift', page = 'gift') AS next FROM visits GROUP BY who ORDER BY who;
SELECT toTypeName(sequenceNextNode('forward', 'head')(t, page, 1)), sequenceNextNode('forward', 'head')(t, page, 1) FROM visits;
SELECT sequenceNextNode('forward', 'head')(t, page, 1, page = 'home') FROM visits WHERE who = 9;
SELECT sequenceNextNodeMerge('forward', 'first_match')(s) FROM (SELECT sequenceNextNodeState('forward', 'first_match')(t, page, 1, page = 'gift') AS s FROM visits WHERE who = 1 GROUP BY t);
-- error: NUMBER_OF_ARGUMENTS_DOESNT_MATCH
SELECT sequenceNextNode('forward')(t, page, 1) FROM visits;
-- error: BAD_ARGUMENTS
SELECT sequenceNextNode('forward', 'tail')(t, page, 1) FROM visits;
-- error: BAD_ARGUMENTS
SELECT sequenceNextNode('sideways', 'head')(t, page, 1) FROM visits;
-- error: NUMBER_OF_ARGUMENTS_DOESNT_MATCH
SELECT sequenceNextNode('forward', 'first_match')(t, page, 1) FROM visits;
-- error: ILLEGAL_TYPE_OF_ARGUMENT
SELECT sequenceNextNode('forward', 'head')(t, who, 1) FROM visits;
-- error: ILLEGAL_TYPE_OF_ARGUMENT
SELECT sequenceNextNode('forward', 'head')(toInt32(who), page, 1) FROM visits;
