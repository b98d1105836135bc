SELECT 'ab' ~ 'a', 'ab' !~ 'a', 'AB' ~* 'a', 'AB' !~* 'a', 'AB' ~ 'a', 'ab' ~ '^b';
SELECT 'ab' ~ 'a', 'ab' !~ 'a', 'AB' ~* 'a', 'AB' !~* 'a' FORMAT TSVWithNames;
SELECT 'a' || 'b' ~ 'ab', NOT 'ab' ~ 'a';
SELECT number FROM numbers(30) WHERE toString(number) ~ '^2' AND number > 20 ORDER BY number LIMIT 2;
-- error: SYNTAX_ERROR
SELECT ~ 1;
-- XOR is a function, and no operator.
SELECT xor(1, 0), 1 xor FORMAT TSVWithNames;
-- error: SYNTAX_ERROR
SELECT 1 XOR 0;
-- error: SYNTAX_ERROR
SELECT number < 5 XOR number < 10 FROM numbers(3);
