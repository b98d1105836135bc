-- A negative number without a sign is that of its bits.
SELECT printf('%u', -1), printf('%u|%x', 5, -2);
-- A text is no key among numbers, and no number among texts.
-- error: ILLEGAL_TYPE_OF_ARGUMENT
SELECT map(1, 1)['1'];
-- error: ILLEGAL_TYPE_OF_ARGUMENT
SELECT map('1', 1)[1];
