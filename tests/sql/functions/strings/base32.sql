SELECT base32Encode(''), base32Encode('f'), base32Encode('foobar'), base32Decode('MZXW6YTBOI======'), base32Decode(''), tryBase32Decode('abc'), toTypeName(tryBase32Decode('a')), base32Decode('MY======'), hex(base32Encode(toFixedString('f', 3))), base32Decode('mzxw6===');
SELECT base32Encode(repeat('x', number)), base32Decode(base32Encode(repeat('xy', number))) FROM numbers(12);
-- error: INCORRECT_DATA
SELECT base32Decode('MZXW6');
-- error: INCORRECT_DATA
SELECT base32Decode('1');
-- error: INCORRECT_DATA
SELECT base32Decode('MZ======');
SELECT tryBase32Decode('MZ======') = '', tryBase32Decode('MZXW6YTBOI=='), tryBase32Decode('M'), base32Encode(NULL);
-- error: ILLEGAL_TYPE_OF_ARGUMENT
SELECT base32Encode(1);
