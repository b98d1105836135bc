SELECT extractKeyValuePairsWithEscaping('age:a\\x0A\\n\\0') as kv;
SELECT extractKeyValuePairsWithEscaping('a: "aaaa\\"bbb"') as kv, extractKeyValuePairs('a: "aaaa\\"bbb"');
SELECT extractKeyValuePairsWithEscaping('a\\n:b\\tc,\\k:v,x:\\q,"q\\"k":"v\\,v",z:\\'), extractKeyValuePairsWithEscaping('name:neymar, age:31 team:psg,nationality:brazil');
SELECT extractKeyValuePairsWithEscaping('a:\\,b'), extractKeyValuePairsWithEscaping('a:x\\,b:c'), extractKeyValuePairsWithEscaping('a:x\\'), extractKeyValuePairsWithEscaping('k\\:1:v'), extractKeyValuePairsWithEscaping('k:\\x4'), extractKeyValuePairsWithEscaping('k:\\N1,j:\\a\\b\\e\\f\\r\\v\\/\\=\\`\\\'\\"\\\\');
SELECT extractKeyValuePairsWithEscaping('"k\\x41":"\\x42",l:"open'), extractKeyValuePairsWithEscaping('k:"a"b,c:d'), extractKeyValuePairsWithEscaping('x"k":v, y:z'), extractKeyValuePairsWithEscaping('k:a"b"c,d:e');
SELECT extractKeyValuePairs('name"abc:5', ':', ' ,;', '"', 'INVALID'), extractKeyValuePairs('name"abc:5', ':', ' ,;', '"', 'ACCEPT'), extractKeyValuePairs('name"abc:5', ':', ' ,;', '"', 'PROMOTE'), extractKeyValuePairs('name"abc":5', ':', ' ,;', '"', 'promote'), extractKeyValuePairs('name:abc"def,x:y', ':', ' ,;', '"', 'invalid'), extractKeyValuePairs('name:abc"def,x:y', ':', ' ,;', '"', 'accept'), extractKeyValuePairs('name:abc"def",x:y', ':', ' ,;', '"', 'promote'), extractKeyValuePairs('a"b:1,c:2', ':', ',', '"', 'invalid'), extractKeyValuePairs('a:1"2,c:2', ':', ',', '"', 'invalid');
-- error: BAD_ARGUMENTS
SELECT extractKeyValuePairs('a:1', ':', ',', '"', 'foo');
-- error: BAD_ARGUMENTS
SELECT extractKeyValuePairs('a:1', ':', ',', '"', '');
SELECT extractKeyValuePairsWithEscaping('name"abc:5', ':', ' ,;', '"', 'INVALID'), extractKeyValuePairsWithEscaping('name"abc:5', ':', ' ,;', '"', 'ACCEPT'), extractKeyValuePairsWithEscaping('a=1;b=2', '=', ';');
-- error: BAD_ARGUMENTS
SELECT extractKeyValuePairsWithEscaping('a:1', '\\');
SELECT extractKeyValuePairs('a:1', '\\');
SELECT extractKeyValuePairsWithEscaping('\\n:1,\\\\k:2,a\\:3,  \\t\\tb:4,c:\\');
SELECT extractKeyValuePairsWithEscaping('\\nab:1,"\\nq":2,"":3,x:"",y:');
SELECT extractKeyValuePairsWithEscaping('a:b\\x4'), extractKeyValuePairsWithEscaping('a:b\\xZZc'), extractKeyValuePairsWithEscaping('a:b\\N1'), extractKeyValuePairsWithEscaping('a:b\\,c:d'), extractKeyValuePairsWithEscaping('a:b\\\\,c:d'), extractKeyValuePairsWithEscaping('a:b\\\'c'), extractKeyValuePairsWithEscaping('a:b\\qc'), extractKeyValuePairsWithEscaping('a:"b\\'), extractKeyValuePairsWithEscaping('a:"b\\x4'), extractKeyValuePairsWithEscaping('b\\x4:1,c:2'), extractKeyValuePairsWithEscaping('a:b\\x4,c:d'), extractKeyValuePairsWithEscaping('a:b\\"c"d');
SELECT extractKeyValuePairsWithEscaping('a:b\\/c\\=\\`\\e\\a\\b\\f\\r\\v\\0\\1'), extractKeyValuePairsWithEscaping('a:b\\\tc'), extractKeyValuePairsWithEscaping('x:\\q:1,y:2'), extractKeyValuePairsWithEscaping('"\\x4":1,c:2'), extractKeyValuePairsWithEscaping('"a\\'), extractKeyValuePairsWithEscaping('a\\'), extractKeyValuePairsWithEscaping('a:b,\\'), extractKeyValuePairsWithEscaping('a:b\\ c:d'), extractKeyValuePairsWithEscaping('a:1,a:2'), extractKeyValuePairsWithEscaping('a:b\\X41'), extractKeyValuePairsWithEscaping('a:b\\x'), extractKeyValuePairsWithEscaping('a:b\\x,c:d');
SELECT extractKeyValuePairs('a:1,a:2'), length(extractKeyValuePairs(repeat('a:1,', 1000)));
-- error: LIMIT_EXCEEDED
SELECT length(extractKeyValuePairs(repeat('a:1,', 1001)));
SELECT extractKeyValuePairs('a"b"c:1,d:2', ':', ',', '"', 'promote'), extractKeyValuePairs('"a"b:1,d:2', ':', ',', '"', 'accept'), extractKeyValuePairs('a:"x"y,d:2', ':', ',', '"', 'accept'), extractKeyValuePairs('a:x"y"z,d:2', ':', ',', '"', 'accept'), extractKeyValuePairs('"a":"x",d:2', ':', ',', '"', 'invalid');
-- error: ILLEGAL_COLUMN
SELECT extractKeyValuePairs('a:1', materialize(':'));
SELECT hex(extractKeyValuePairsWithEscaping('a:b\\x4')['a']), hex(extractKeyValuePairsWithEscaping('a:b\\xZZc')['a']);
