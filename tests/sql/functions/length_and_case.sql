SELECT length('abc'), length(''), length('ж'), lengthUTF8('ж'), char_length('abc'), CHARACTER_LENGTH('abc');
SELECT length([1, 2]), length(map('a', 1)), length(toFixedString('ab', 4));
SELECT upper('aBc'), lower('aBc'), upperUTF8('жЖ'), lowerUTF8('жЖ'), upper('ж');
SELECT empty(''), notEmpty(''), empty('a'), empty([]), notEmpty([1]);
SELECT reverse('abc'), reverseUTF8('жук'), reverse([1, 2, 3]);
SELECT toTypeName(length('a')), toTypeName(lower('a')), length(NULL), upper(NULL);
SELECT sum(length(toString(number))) FROM numbers(1000);
