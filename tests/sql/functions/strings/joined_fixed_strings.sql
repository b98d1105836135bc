-- Elements of arrayStringConcat are texts: a FixedString comes without the zeros behind it.
SELECT arrayStringConcat([toFixedString('a', 3)], '-'), hex(arrayStringConcat([toFixedString('a\0b', 5), toFixedString('', 5)], '-')), arrayStringConcat(materialize([toFixedString('a', 3), toFixedString('bc', 3)]));
SELECT arrayStringConcat([toNullable(toFixedString('a', 3)), NULL], '-'), arrayStringConcat([toFixedString(toString(number), 4), toFixedString('x', 4)], ',') FROM numbers(2);
