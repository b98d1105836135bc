-- A lambda that uses twice what it is given doubles it at each call of it within another.
WITH x -> x + x AS twice SELECT twice(twice(twice(twice(number)))) FROM numbers(2);
-- error: BAD_ARGUMENTS
WITH x -> x + x AS twice SELECT twice(twice(twice(twice(twice(twice(twice(twice(twice(twice(number)))))))))) FROM numbers(2)
SETTINGS max_expanded_ast_elements = 500;
