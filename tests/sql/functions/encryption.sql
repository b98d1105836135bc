SELECT hex(encrypt('aes-256-ecb', 'text', '12345678910121314151617181920212')), hex(encrypt('aes-128-cbc', 'text', '1234567891012131')), hex(encrypt('aes-128-cbc', 'text', '1234567891012131', 'iviviviviviviviv')), hex(encrypt('aes-192-ofb', 'text of more than a block', '123456789101213141516171')), hex(encrypt('aes-256-ctr', 'some text of more than one block', '12345678910121314151617181920212', 'iviviviviviviviv')), hex(encrypt('aes-256-gcm', 'text', '12345678910121314151617181920212', 'iviviviviviv')), hex(encrypt('aes-256-gcm', 'text', '12345678910121314151617181920212', 'iv', 'aad')), hex(encrypt('aes-192-gcm', repeat('text', 10), '123456789101213141516171', 'a longer vector', 'more data'));
SELECT hex(encrypt('aes-128-cfb1', 'text', '1234567891012131')), hex(encrypt('aes-128-cfb8', 'some text of more than one block', '1234567891012131')), hex(encrypt('aes-128-cfb', 'some text of more than one block', '1234567891012131', 'iviviviviviviviv'));
SELECT hex(encrypt('aes-128-ctr', '', '1234567891012131')), hex(encrypt('aes-128-cbc', '', '1234567891012131')), hex(encrypt('aes-128-gcm', '', '1234567891012131', 'iviviviviviv')), hex(encrypt('aes-128-ecb', repeat('x', 16), '1234567891012131'));
SELECT mode, decrypt('aes-128-cbc', encrypt('aes-128-cbc', mode, '1234567891012131', 'iviviviviviviviv'), '1234567891012131', 'iviviviviviviviv'), decrypt('aes-256-cfb1', encrypt('aes-256-cfb1', mode, '12345678910121314151617181920212'), '12345678910121314151617181920212'), decrypt('aes-256-cfb', encrypt('aes-256-cfb', mode, '12345678910121314151617181920212'), '12345678910121314151617181920212'), decrypt('aes-256-cfb8', encrypt('aes-256-cfb8', mode, '12345678910121314151617181920212'), '12345678910121314151617181920212'), decrypt('aes-256-ofb', encrypt('aes-256-ofb', mode, '12345678910121314151617181920212'), '12345678910121314151617181920212'), decrypt('aes-256-gcm', encrypt('aes-256-gcm', mode, '12345678910121314151617181920212', 'iv', 'aad'), '12345678910121314151617181920212', 'iv', 'aad') FROM (SELECT arrayJoin(['', 'a', 'text', 'some text that is longer than a block', 'exactly 16 bytes']) AS mode);
SELECT hex(encrypt('aes-128-ecb', toString(number), '1234567891012131')) FROM numbers(2);
SELECT toTypeName(encrypt('aes-128-ecb', toNullable('a'), '1234567891012131')), hex(encrypt('aes-128-ecb', toFixedString('text', 4), toFixedString('1234567891012131', 16))), encrypt('aes-128-ecb', NULL, '1234567891012131');
-- error: BAD_ARGUMENTS
SELECT encrypt('AES-128-CBC', 'text', '1234567891012131');
-- error: BAD_ARGUMENTS
SELECT encrypt('aes-128-xts', 'text', '1234567891012131');
-- error: BAD_ARGUMENTS
SELECT encrypt('des-cbc', 'text', '1234567891012131');
-- error: BAD_ARGUMENTS
SELECT encrypt('aes-128-ecb', 'text', '1234567891012131', 'iv');
-- error: BAD_ARGUMENTS
SELECT encrypt('aes-128-cbc', 'text', '12345678910121');
-- error: BAD_ARGUMENTS
SELECT encrypt('aes-128-cbc', 'text', '1234567891012131', 'iv');
-- error: BAD_ARGUMENTS
SELECT encrypt('aes-128-cbc', 'text', '1234567891012131', 'iviviviviviviviv', 'aad');
-- error: BAD_ARGUMENTS
SELECT encrypt('aes-128-gcm', 'text', '1234567891012131');
-- error: BAD_ARGUMENTS
SELECT encrypt('aes-128-ctr', '', '1');
-- error: ILLEGAL_COLUMN
SELECT encrypt(materialize('aes-128-ecb'), 'a', '1234567891012131');
-- error: ILLEGAL_TYPE_OF_ARGUMENT
SELECT encrypt('aes-128-ecb', 1, '1234567891012131');
-- error: NUMBER_OF_ARGUMENTS_DOESNT_MATCH
SELECT encrypt('aes-128-ecb', 'a');
-- error: OPENSSL_ERROR
SELECT decrypt('aes-128-cbc', 'abc', '1234567891012131');
-- error: OPENSSL_ERROR
SELECT decrypt('aes-128-cbc', unhex('00000000000000000000000000000000'), '1234567891012131');
-- error: BAD_ARGUMENTS
SELECT decrypt('aes-128-gcm', 'abc', '1234567891012131', 'iviviviviviv');
-- error: OPENSSL_ERROR
SELECT decrypt('aes-128-gcm', unhex('00000000000000000000000000000000000000'), '1234567891012131', 'iviviviviviv');
SELECT tryDecrypt('aes-128-cbc', 'abc', '1234567891012131'), toTypeName(tryDecrypt('aes-128-cbc', 'abc', '1234567891012131')), tryDecrypt('aes-256-gcm', encrypt('aes-256-gcm', 'text', '12345678910121314151617181920212', 'iv', 'aad'), '12345678910121314151617181920212', 'iv', 'aaa'), decrypt('aes-128-gcm', '', '1234567891012131', 'iviviviviviv') = '', decrypt('aes-128-cbc', '', '1234567891012131') = '', tryDecrypt('aes-128-ecb', materialize(NULL::Nullable(String)), '1234567891012131');
-- error: BAD_ARGUMENTS
SELECT tryDecrypt('aes-128-cbc', 'abc', '123');
SELECT hex(aes_encrypt_mysql('aes-128-ecb', 'text', '1234567891012131abc')), hex(aes_encrypt_mysql('aes-256-cbc', 'text', '12345678910121314151617181920212', 'iviviviviviviviviv')), hex(aes_encrypt_mysql('aes-128-ofb', 'text', '1234567891012131')), hex(aes_encrypt_mysql('aes-128-ecb', 'text', '1234567891012131', 'iv')), aes_decrypt_mysql('aes-128-ecb', aes_encrypt_mysql('aes-128-ecb', 'text', '1234567891012131abc'), '1234567891012131abc'), toTypeName(aes_decrypt_mysql('aes-128-ecb', '', '1234567891012131')), hex(aes_encrypt_mysql('aes-128-cbc', 'text', '1234567891012131', '')), hex(aes_encrypt_mysql('aes-128-ecb', 'text', repeat('1234567891012131', 3)));
-- error: BAD_ARGUMENTS
SELECT aes_encrypt_mysql('aes-128-gcm', 'text', '1234567891012131');
-- error: BAD_ARGUMENTS
SELECT aes_encrypt_mysql('aes-128-ecb', 'text', '1234');
-- error: NUMBER_OF_ARGUMENTS_DOESNT_MATCH
SELECT aes_encrypt_mysql('aes-128-cbc', 'text', '1234567891012131', 'iv', 'aad');
SELECT hex(HMAC('sha256', 'm', 'k')), toTypeName(HMAC('sha256', 'm', 'k')), hex(hmac('MD5', 'm', 'k')), hex(HMAC('sha1', 'm', 'k')), hex(HMAC('sha512', 'm', repeat('k', 200))), hex(HMAC('sha384', 'm', '')), hex(HMAC('sha224', '', 'k')), hex(HMAC('ripemd160', 'm', 'k')), hex(HMAC('md4', 'm', 'k')), hex(HMAC('sha3-256', 'm', 'k')), hex(HMAC('sha512-256', 'm', 'k')), hex(HMAC('sha512-224', 'm', 'k')), hex(HMAC('blake2b512', 'm', 'k')), hex(HMAC('blake2s256', 'm', 'k'));
SELECT hex(HMAC('md5', toString(number), toString(number))) FROM numbers(2);
-- error: BAD_ARGUMENTS
SELECT HMAC('nope', 'm', 'k');
-- error: ILLEGAL_COLUMN
SELECT HMAC(materialize('md5'), 'm', 'k');
-- error: ILLEGAL_TYPE_OF_ARGUMENT
SELECT HMAC('md5', 1, 'k');
SELECT HMAC('md5', NULL, 'k'), hex(HMAC('md5', toFixedString('m', 1), 'k'));
